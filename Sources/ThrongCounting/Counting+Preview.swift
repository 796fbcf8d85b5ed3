package import ThrongPlan
package import ThrongWire

extension Counting {
    /// A counting that knows what is closed and nobody: to try a batch on, and then to be thrown away.
    ///
    /// It holds no identifier, so that what it says of one tells nothing of what that one has done.
    package func forPreview() -> Counting {
        var empty = Counting(space: space, position: .start, watermark: .start)
        empty.closed = closed
        return empty
    }

    /// Counts a batch event by event, as one device's first.
    ///
    /// - Parameters:
    ///   - openPeriod: as for ``count(_:identifier:now:openPeriod:)``.
    /// - Returns: by event: what it adds, of metrics that count identifiers where they would by then count one; or why it adds nothing; nil where the batch's window is over.
    package mutating func preview(
        _ batch: BucketedBatch, now: UnixSeconds, openPeriod: (MetricLayout) -> UnixSeconds
    ) -> [(additions: [CountedBatch.Addition], refused: RefusalReason?)]? {
        var events: [(additions: [CountedBatch.Addition], refused: RefusalReason?)] = []
        var progress: [Int: Int] = [:]
        for (place, event) in batch.events.enumerated() {
            let contributions = batch.contributions[
                Int(event.contributions.lowerBound)..<Int(event.contributions.upperBound)]
            let alone = BucketedBatch.Event(refusal: event.refusal, contributions: 0..<Int32(contributions.count))
            let one = BucketedBatch(
                id: BatchID(high: 0, low: UInt64(place)), window: batch.window, events: [alone],
                contributions: Array(contributions), amounts: batch.amounts,
                marks: batch.marks.filter { Int($0.event) == place })
            let outcome = count(
                one, identifier: KeyedIdentifier(high: 1, low: 1), now: now, openPeriod: openPeriod)
            guard case .counted(let counted) = outcome else { return nil }
            // What its window would come to if nothing more followed.
            let ends = counted.advances.compactMap { advance -> CountedBatch.Addition? in
                progress[advance.metric, default: 0] += Int(advance.progress)
                guard let within = space.metrics[advance.metric].within else { return nil }
                let bucket = UInt32(within.bucket(of: progress[advance.metric, default: 1]))
                return CountedBatch.Addition(
                    metric: advance.metric, cell: CellIndex(advance.cell.value + bucket),
                    periodStart: advance.periodStart, count: 1, sums: [])
            }
            events.append((counted.additions + ends, counted.answer.refused.first?.reason))
        }
        return events
    }
}
