extension MetricLayout {
    /// True if every leaf below a cell lies in an impossible combination, so that the cell must be empty.
    ///
    /// A cell without any leaf is impossible too: two dimensions made of the same buckets can contradict each other.
    /// - Complexity: O(combinations) for nearly all cells; a few times that where combinations cover a cell piece by
    ///   piece.
    package func isImpossible(_ cell: CellIndex, in margin: Margin) -> Bool {
        if impossible.isEmpty, leaf.refines(margin) { return false }
        var open = dimensions.map { Array($0.labels.indices) }
        let kept = dimensions.indices.filter(margin.keeps)
        for (place, bucket) in zip(kept, buckets(of: cell, in: margin)) {
            if let coarsening = dimensions[place].coarsening {
                open[coarsening.place].removeAll { coarsening.buckets[$0] != bucket }
            } else {
                open[place].removeAll { $0 != bucket }
            }
        }
        return open.contains(where: \.isEmpty) || Self.covers(impossiblePlaces, open)
    }

    /// The leaf cells that lie in an impossible combination; nil if there are no combinations.
    ///
    /// - Complexity: O(leaf cells × combinations).
    package var impossibleLeaves: CellSet? {
        let combinations = impossiblePlaces
        if combinations.isEmpty { return nil }
        let size = size(of: leaf)
        var strides = Array(repeating: 1, count: dimensions.count)
        for place in dimensions.indices.reversed() where leaf.keeps(place) {
            strides[place] = dimensions[(place + 1)...].reduce(1) { $1.coarsening == nil ? $0 * $1.labels.count : $0 }
        }
        var leaves = CellSet(count: size)
        for cell in 0..<size {
            let isImpossible = combinations.contains { combination in
                combination.allSatisfy { cell / strides[$0.place] % dimensions[$0.place].labels.count == $0.bucket }
            }
            if isImpossible { leaves.insert(CellIndex(UInt32(cell))) }
        }
        return leaves
    }

    /// One bucket of one dimension, both as indices.
    private struct Place {
        let place: Int
        let bucket: Int
    }

    /// The combinations by place and bucket; one that names what the layout does not have matches nothing.
    private var impossiblePlaces: [[Place]] {
        impossible.compactMap { combination in
            let places = combination.parts.compactMap { part -> Place? in
                guard let place = dimensions.firstIndex(where: { $0.name == part.dimension }),
                    dimensions[place].coarsening == nil,
                    let bucket = dimensions[place].labels.firstIndex(of: part.bucket)
                else { return nil }
                return Place(place: place, bucket: bucket)
            }
            return places.count == combination.parts.count ? places : nil
        }
    }

    /// True if each choice of one open bucket per dimension lies in one of the combinations.
    private static func covers(_ combinations: [[Place]], _ open: [[Int]]) -> Bool {
        let possible = combinations.filter { $0.allSatisfy { open[$0.place].contains($0.bucket) } }
        if possible.contains(where: { $0.allSatisfy { open[$0.place].count == 1 } }) { return true }
        // Split the first combination's first open dimension, unnamed buckets first: they refute the soonest.
        guard let split = possible.first?.first(where: { open[$0.place].count > 1 })?.place else { return false }
        let named = Set(possible.flatMap { $0 }.filter { $0.place == split }.map(\.bucket))
        let unnamed = open[split].first { !named.contains($0) }
        for bucket in [unnamed].compactMap({ $0 }) + open[split].filter(named.contains) {
            var rest = open
            rest[split] = [bucket]
            if !covers(possible, rest) { return false }
        }
        return true
    }
}
