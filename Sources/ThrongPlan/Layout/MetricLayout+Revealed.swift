extension MetricLayout {
    /// True if any of the metric's dimensions learns its buckets while counting goes on.
    package var isRevealing: Bool { dimensions.contains(where: \.isRevealed) }

    /// The layout of the counters, whose slots have no labels; a release keeps those that its slots had.
    package var counted: MetricLayout { isRevealing ? named([:]) : self }

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

    /// True if a cell lies in a slot without a label; everybody can see that nothing can have happened in it.
    package func isVacant(_ cell: CellIndex, in margin: Margin) -> Bool {
        guard isRevealing else { return false }
        let kept = dimensions.indices.filter(margin.keeps)
        return zip(kept, buckets(of: cell, in: margin)).contains { dimensions[$0].isVacant($1) }
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
