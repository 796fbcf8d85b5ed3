internal import ThrongPlan
package import ThrongWire

extension Counting {
    /// The number of additions searched for one to the same cell.
    private static var lookback: Int { 64 }

    /// The part of a batch that goes to one metric.
    private struct Share {
        let ordinal: Int
        /// The cell of the metric's partition margin.
        let partition: UInt32
        /// Unit: events.
        var events: Int64
        /// The distance to the cells of the rung that all of them are in.
        var shift: UInt32 = 0
    }

    /// Counts a batch as a whole: the events' additions to one cell are made as one, and bounds are checked once.
    ///
    /// Most devices send a few kinds of events over and over, so a hundred events take a few additions.
    /// - Returns: false, with nothing changed, if events must be counted one by one: some of them exceed bounds or
    ///   are in several rungs, each counts by itself, a period is closed, or sums exceed `Int64`.
    mutating func addAtOnce(
        _ batch: BucketedBatch, of sender: Sender, to window: inout OpenWindow,
        additions: inout [CountedBatch.Addition], appearances: inout [CountedBatch.Appearance]
    ) -> Bool {
        guard var (merged, shares) = merged(batch) else { return false }
        let identifier = sender.identifier
        for (place, share) in shares.enumerated() {
            let metric = space.metrics[share.ordinal]
            let known = window.contributions[identifier.hash(with: metric.seed, 0)]
            let rung = metric.rung(after: known.used)
            guard known.partition == .max || known.partition == share.partition, share.events <= Int64(rung.room) else {
                return false
            }
            shares[place].shift = rung.shift
        }
        for share in shares {
            let key = identifier.hash(with: space.metrics[share.ordinal].seed, 0)
            let used = window.contributions[key].used + UInt32(share.events)
            window.contributions.set(key, used: used, partition: share.partition)
            guard share.shift > 0 else { continue }
            for place in merged.indices where merged[place].metric == share.ordinal {
                merged[place].cell = CellIndex(merged[place].cell.value + share.shift)
            }
        }
        additions = merged
        for place in additions.indices {
            additions[place].settle(sender, space.metrics[additions[place].metric], in: &window)
        }
        appearances.reserveCapacity(8)
        for addition in additions { apply(addition, in: batch, of: sender, to: &window, appearances: &appearances) }
        return true
    }

    /// Returns a batch's contributions by cell, and its share of each metric; nil if they can't be merged.
    private func merged(_ batch: BucketedBatch) -> ([CountedBatch.Addition], [Share])? {
        var additions: [CountedBatch.Addition] = []
        var shares: [Share] = []
        additions.reserveCapacity(min(batch.contributions.count, 16))
        shares.reserveCapacity(4)
        for (place, contribution) in batch.contributions.enumerated() where batch.repeats[place] > 0 {
            let events = Int64(contribution.count) * Int64(batch.repeats[place])
            // The amounts of the events are added up here: in the addition to their cell, or a new one.
            let known = Self.place(of: contribution, in: additions)
            if known == nil {
                let ordinal = Int(contribution.metric)
                let metric = space.metrics[ordinal]
                guard metric.hasIdentifiers, !lateness.isReleased(contribution.periodStart, of: ordinal, in: space)
                else { return nil }
                let partition = metric.partition(contribution.cell).value
                if let share = shares.first(where: { $0.ordinal == ordinal }) {
                    guard share.partition == partition else { return nil }
                } else {
                    shares.append(Share(ordinal: ordinal, partition: partition, events: 0))
                }
                additions.append(
                    CountedBatch.Addition(
                        metric: ordinal, cell: contribution.cell, periodStart: contribution.periodStart, count: 0,
                        sums: Array(repeating: 0, count: metric.sumCount)))
            }
            let sum = known ?? additions.count - 1
            for share in shares.indices where shares[share].ordinal == additions[sum].metric {
                shares[share].events += events
            }
            guard additions[sum].add(contribution, events, of: batch.amounts) else { return nil }
        }
        return (additions, shares)
    }

    /// Returns the place of the addition to a contribution's cell, if it is among the last and may claim its firsts.
    ///
    /// Events that follow each other are alike. The search goes no further back, or a batch of many different cells
    /// would take quadratic time; what is not merged is added one by one. A first counts where it is claimed first, and
    /// an addition in between may claim it in another cell of its grouping.
    private static func place(of contribution: BucketedBatch.Contribution, in additions: [CountedBatch.Addition])
        -> Int?
    {
        var place = additions.count
        let first = max(place - lookback, 0)
        while place > first {
            place -= 1
            if additions[place].cell == contribution.cell, additions[place].metric == Int(contribution.metric),
                additions[place].periodStart == contribution.periodStart
            {
                let claimed = additions[place].firsts
                let claimsNothing = contribution.firsts.isEmpty || claimed.union(contribution.firsts) == claimed
                return claimsNothing || place == additions.count - 1 ? place : nil
            }
        }
        return nil
    }

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
            let contributions = batch.contributions(of: event)
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
            // An event adds once to a metric, be it in several rungs.
            let additions = counted.additions.reduce(into: [CountedBatch.Addition]()) { all, next in
                if let last = all.last, last.metric == next.metric {
                    all[all.count - 1] = last.adding(next)
                } else {
                    all.append(next)
                }
            }
            events.append((additions + ends, counted.answer.refused.first?.reason))
        }
        return events
    }
}

extension CountedBatch.Addition {
    /// Adds so many events like one contribution to its cell; returns false if a sum exceeds `Int64`.
    fileprivate mutating func add(
        _ contribution: BucketedBatch.Contribution, _ events: Int64, of amounts: [Int64]
    ) -> Bool {
        count += events
        firsts = firsts.union(contribution.firsts)
        for sum in sums.indices {
            let (product, overflow) = amounts[Int(contribution.firstAmount) + sum].multipliedReportingOverflow(
                by: events)
            let (total, excess) = sums[sum].addingReportingOverflow(product)
            guard !overflow, !excess else { return false }
            sums[sum] = total
        }
        return true
    }
}
