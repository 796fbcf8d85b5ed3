extension MetricLayout {
    /// Whether any of its dimensions learns its buckets while counting goes on.
    package var isRevealing: Bool { dimensions.contains(where: \.isRevealed) }

    /// The layout that counters have: none of the slots has a label.
    ///
    /// A release names its slots as they were called when it was made, so that it says the same for ever. What is counted
    /// knows slots only.
    package var counted: MetricLayout { isRevealing ? named([:]) : self }

    /// The layout with labels in its slots, by dimension and slot; the other slots have none.
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

    /// Whether a cell lies in a slot without a label: nothing can have happened in it, as everybody can see.
    package func isVacant(_ cell: CellIndex, in margin: Margin) -> Bool {
        guard isRevealing else { return false }
        let kept = dimensions.indices.filter(margin.keeps)
        return zip(kept, buckets(of: cell, in: margin)).contains { dimensions[$0].isVacant($1) }
    }

    /// Cells in a margin that readers see: none of slots without a label.
    package func shownSize(of margin: Margin) -> Int {
        dimensions.indices.reduce(1) { margin.keeps($1) ? $0 * dimensions[$1].shownBuckets.count : $0 }
    }
}

extension MetricLayout.DimensionLayout {
    /// How the rule of a dimension begins whose buckets are learned.
    static let revealedKind = "revealed"

    /// Whether its buckets are slots that get their labels while counting goes on.
    package var isRevealed: Bool { rule.hasPrefix(Self.revealedKind + " ") }

    /// Whether a bucket is a slot without a label.
    package func isVacant(_ bucket: Int) -> Bool { isRevealed && labels[bucket].isVacant }

    /// The buckets that readers see, in their order: learned ones by their labels, `other` last.
    package var shownBuckets: [Int] {
        guard isRevealed else { return Array(labels.indices) }
        let learned = labels.indices.dropLast().filter { !labels[$0].isVacant }
        return learned.sorted { labels[$0].text.utf8.lexicographicallyPrecedes(labels[$1].text.utf8) }
            + [labels.count - 1]
    }

    /// The labels of ``shownBuckets``.
    package var shownLabels: [BucketLabel] { shownBuckets.map { labels[$0] } }

    /// Whether another dimension splits by the same rule into the same buckets; what slots are called is no difference.
    package func isSplit(as other: Self) -> Bool {
        rule == other.rule && (isRevealed ? labels.count == other.labels.count : labels == other.labels)
    }
}
