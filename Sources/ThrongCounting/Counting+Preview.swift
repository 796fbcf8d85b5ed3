public import ThrongPlan
public import ThrongWire

extension Counting {
    /// A counting that knows what is closed and nobody: to try a batch on, and then to be thrown away.
    ///
    /// It holds no identifier, so that what it says of one tells nothing of what that one has done.
    public func forPreview() -> Counting {
        var empty = Counting(space: space, position: .start, watermark: .start)
        empty.closed = closed
        return empty
    }

    /// Counts a batch event by event, as one device's first.
    ///
    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - openPeriod: as for ``count(_:identifier:now:openPeriod:)``.
    /// - Returns: by event: what it adds, or why it adds nothing; nil where the batch's window is over.
    public mutating func preview(
        _ batch: BucketedBatch, now: Int64, openPeriod: (MetricLayout) -> Int64
    ) -> [(additions: [CountedBatch.Addition], refused: RefusalReason?)]? {
        var events: [(additions: [CountedBatch.Addition], refused: RefusalReason?)] = []
        for (place, event) in batch.events.enumerated() {
            let contributions = batch.contributions[
                Int(event.contributions.lowerBound)..<Int(event.contributions.upperBound)]
            let alone = BucketedBatch.Event(refusal: event.refusal, contributions: 0..<Int32(contributions.count))
            let one = BucketedBatch(
                id: BatchID(high: 0, low: UInt64(place)), window: batch.window, events: [alone],
                contributions: Array(contributions), amounts: batch.amounts)
            let outcome = count(
                one, identifier: KeyedIdentifier(high: 1, low: 1), now: now, openPeriod: openPeriod)
            guard case .counted(let counted) = outcome else { return nil }
            events.append((counted.additions, counted.answer.refused.first?.reason))
        }
        return events
    }
}
