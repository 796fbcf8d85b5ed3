package import ThrongPlan

extension Release {
    /// The published cell of these buckets, one per dimension that is kept; nil is withheld.
    ///
    /// - Complexity: O(log cells).
    package func cell(_ buckets: [DimensionName: BucketLabel]) -> PublishedCell? {
        let places = header.layout.dimensions.indices.filter { buckets[header.layout.dimensions[$0].name] != nil }
        guard places.count == buckets.count else { return nil }
        let margin = Margin(keeping: places)
        var indices: [Int] = []
        for place in places {
            let dimension = header.layout.dimensions[place]
            guard let label = buckets[dimension.name], let bucket = dimension.labels.firstIndex(of: label) else {
                return nil
            }
            indices.append(bucket)
        }
        return cell(header.layout.cell(buckets: indices, in: margin), in: margin)
    }

    /// The published cell at that place; nil is withheld.
    package func cell(_ cell: CellIndex, in margin: Margin) -> PublishedCell? {
        var low = cells.startIndex
        var high = cells.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if (cells[middle].margin, cells[middle].cell) < (margin, cell) { low = middle + 1 } else { high = middle }
        }
        guard low < cells.endIndex, cells[low].margin == margin, cells[low].cell == cell else { return nil }
        return cells[low]
    }

    /// Whether the release shows that grouping at all.
    package func shows(_ margin: Margin) -> Bool { header.groupings.contains(margin) }
}
