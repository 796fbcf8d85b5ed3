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

    /// True if any of the metric's dimensions learns its buckets while counting goes on.
    package var isRevealing: Bool { dimensions.contains(where: \.isRevealed) }

    /// The layout of the counters, whose slots have no labels and which chose no bound; a release keeps its own.
    package var counted: MetricLayout {
        let layout = bounded(by: Metric.firstBound)
        return isRevealing ? layout.named([:]) : layout
    }

    /// Returns the layout with the bound of a release, where releases choose it.
    package func bounded(by bound: Int) -> MetricLayout {
        var layout = self
        if rungs != nil { layout.contributionBound = bound }
        return layout
    }

    /// Returns the layout with labels in its slots, by dimension and slot; the other slots have none.
    package func named(_ labels: [DimensionName: [Int: BucketLabel]]) -> MetricLayout {
        var result = self
        result.dimensions = dimensions.map { dimension in
            guard dimension.isRevealed else { return dimension }
            let other = dimension.labels.count - 1
            let known = labels[dimension.name] ?? [:]
            return DimensionLayout(
                name: dimension.name, labels: (0..<other).map { known[$0] ?? .vacant($0) } + [.other],
                partitionsDevices: dimension.partitionsDevices, rule: dimension.rule)
        }
        return result
    }

    /// Returns the number of a margin's cells that readers see: none of slots without a label.
    package func shownSize(of margin: Margin) -> Int {
        dimensions.indices.reduce(1) { margin.keeps($1) ? $0 * dimensions[$1].shownBuckets.count : $0 }
    }
}

extension MetricLayout.DimensionLayout {
    /// The start of the rule of a dimension whose buckets are learned.
    static let revealedKind = "revealed"

    /// True if the dimension's buckets are slots that get their labels while counting goes on.
    package var isRevealed: Bool { rule.hasPrefix(Self.revealedKind + " ") }

    package func isVacant(_ bucket: Int) -> Bool { isRevealed && labels[bucket].isVacant }

    /// The buckets that readers see, in their order: learned ones by their labels, `other` last.
    package var shownBuckets: [Int] {
        guard isRevealed else { return Array(labels.indices) }
        let learned = labels.indices.dropLast().filter { !labels[$0].isVacant }
        return learned.sorted { labels[$0].text.precedes(labels[$1].text) } + [labels.count - 1]
    }

    package var shownLabels: [BucketLabel] { shownBuckets.map { labels[$0] } }

    /// True if another dimension splits by the same rule into the same buckets; the labels of slots don't matter.
    package func isSplit(as other: Self) -> Bool {
        rule == other.rule && (isRevealed ? labels.count == other.labels.count : labels == other.labels)
    }
}
