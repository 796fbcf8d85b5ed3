internal import ThrongPlan

extension OpenWindow {
    /// Takes note that an identifier is about to touch a leaf cell; false where that would be one too many.
    ///
    /// A cell counts once a period: what an identifier does to one release is bounded either way.
    mutating func touches(
        _ contribution: BucketedBatch.Contribution, of metric: MetricSpace, by identifier: KeyedIdentifier,
        bound: UInt32
    ) -> Bool {
        // The leaf is the first of the tracked margins.
        let seed = metric.margins[0].seed &+ UInt64(contribution.cell.value)
        let isKnown = pairs.contains(identifier.hash(with: seed, UInt64(bitPattern: contribution.periodStart)))
        guard !isKnown else { return true }
        let key = identifier.hash(with: metric.seed, 0)
        guard cells[key] < bound else { return false }
        cells[key] += 1
        return true
    }
}
