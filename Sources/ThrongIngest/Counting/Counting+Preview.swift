internal import ThrongPlan
package import ThrongWire

extension Counting {
    /// Returns a counting that knows closed periods and no identifiers, on which a batch can be tried.
    ///
    /// It holds no identifier, so its answer tells nothing of what an identifier has done.
    package func forPreview() -> Counting {
        var empty = Counting(space: space, position: .start, watermark: .start)
        empty.lateness = lateness
        return empty
    }

    /// Counts a batch event by event, as one device's first.
    ///
    /// - Returns: for each event its additions, or the reason why it adds nothing. A metric that counts identifiers is
    ///   listed as if the window ended now. Nil if the batch's window is over.
    package mutating func preview(
        _ batch: BucketedBatch, now: UnixSeconds
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
            let outcome = count(one, identifier: KeyedIdentifier(high: 1, low: 1), now: now)
            guard case .counted(let counted) = outcome else { return nil }
            // The result of its window if nothing more followed.
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
