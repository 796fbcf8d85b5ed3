package import ThrongPlan

// A checkpoint is the state of open windows, part by part. Each part is of another moment, because counting goes on
// between two of them. A restart takes the parts over and replays the journal from before the first of them. A record's
// effect on a part that was made after it is not repeated. The result is the same as a replay of the whole journal.

/// A walk over the state of all open windows.
package struct WindowWalk: Sendable {
    /// The position that every part includes.
    package let from: JournalPosition
    /// The windows, in the order of their parts.
    package let windows: [WindowID]
    /// Windows that take no more batches and may have keys, with the place of their last record.
    package let closing: [WindowID: JournalPosition]

    fileprivate struct Step: Sendable {
        let window: WindowID
        let kind: WindowPart.Kind
        let metric: Int
    }

    fileprivate let endings: Int
    fileprivate var steps: ArraySlice<Step>
    /// The start of the next part of a table or of refusals.
    fileprivate var place: WindowPart.Place
    fileprivate var refusalBytes = 0

    package enum Next: Sendable {
        case part(WindowPart)
        /// The end: every record that any part includes is at most this one.
        case end(JournalPosition)
        /// A window has ended meanwhile: a restart can't use what was read of it.
        case windowEnded
    }
}

extension Counting {
    /// Begins a walk; nil while a window is being closed.
    ///
    /// - Parameter partBytes: the approximate size of parts. Unit: bytes.
    /// - Complexity: O(open windows and metrics).
    package func walk(partBytes: Int = WindowPart.standardBytes) -> WindowWalk? {
        guard closing.values.allSatisfy({ $0 < .end }) else { return nil }
        let ids = windows.open.sorted()
        var steps: [WindowWalk.Step] = []
        for id in ids {
            guard let window = windows.window(of: id) else { continue }
            func add(_ kinds: WindowPart.Kind..., metric: Int = 0) {
                for kind in kinds { steps.append(.init(window: id, kind: kind, metric: metric)) }
            }
            add(.head, .refusals, .batches, .pairs, .proved, .contributions)
            for metric in window.progress.keys.sorted() { add(.progress, .progressPeriods, metric: metric) }
            add(.withdrawn, .end)
        }
        return WindowWalk(
            from: position, windows: ids, closing: closing, endings: windows.endings, steps: steps[...],
            place: .init(bytes: partBytes))
    }

    /// Returns the next part of a walk.
    ///
    /// - Complexity: O(1), plus a copy of a few hundred kilobytes of refusals; ``WindowPart/bytes`` does the work.
    ///   While a part of a table is held, counting copies what it changes of it.
    package func next(of walk: inout WindowWalk) -> WindowWalk.Next {
        guard walk.endings == windows.endings else { return .windowEnded }
        while let step = walk.steps.first {
            guard let window = windows.window(of: step.window) else { return .windowEnded }
            let place = walk.place.start
            guard let contents = contents(of: step, in: window, &walk) else { continue }
            return .part(
                WindowPart(
                    window: step.window, kind: step.kind, metric: step.metric,
                    section: contents.sections > 0 ? place : 0, through: position, contents: contents))
        }
        return .end(position)
    }

    /// Returns the content at a step of a walk, nil if it is empty, and moves on.
    private func contents(
        of step: WindowWalk.Step, in window: OpenWindow, _ walk: inout WindowWalk
    ) -> WindowPart.Contents? {
        let place = walk.place
        func end() {
            walk.steps.removeFirst()
            walk.place.start = 0
        }
        switch step.kind {
        case .head:
            walk.refusalBytes = window.batches.refusalBytes
            end()
            return window.batches.part(.head, from: place, refusalBytes: 0)
        case .refusals:
            guard place.start < walk.refusalBytes else {
                end()
                return nil
            }
            walk.place.start += place.bytes
            return window.batches.part(.refusals, from: place, refusalBytes: walk.refusalBytes)
        case .withdrawn:
            let withdrawn = window.withdrawn
            end()
            return withdrawn.isEmpty ? nil : .withdrawn(withdrawn)
        case .end:
            end()
            return .numbers([Int64(bitPattern: window.lastPosition.value)])
        case .progressPeriods:
            end()
            return window.part(step.kind, of: step.metric, from: place)
        case .batches, .pairs, .proved, .contributions, .progress:
            let contents = window.part(step.kind, of: step.metric, from: place)
            walk.place.start += contents?.sections ?? WindowPart.sectionCount
            if walk.place.start >= WindowPart.sectionCount { end() }
            return contents
        }
    }

    /// Takes a part over. Parts come in the order in which they were made, before any record is replayed.
    ///
    /// - Parameter metrics: the ordinal in ``space`` for each ordinal of the checkpoint; nil for a layout that is gone.
    /// - Returns: false if the bytes are not a part.
    package mutating func restore(
        _ bytes: UnsafeRawBufferPointer, of id: WindowID, metrics: [Int?], now: UnixSeconds
    ) -> Bool {
        guard let part = WindowPart.Loaded(bytes) else { return false }
        if id.over <= now, part.kind.isOfIdentifiers { return true }
        guard part.metric == 0 || part.metric < metrics.count else { return false }
        let metric = part.metric < metrics.count ? metrics[part.metric] : nil
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        // The replay then finds as much room for refusals as the first count had.
        let before = window.batches.refusalBytes
        defer {
            refusalBytes += window.batches.refusalBytes - before
            windows.putBack(window, at: place)
        }
        return window.load(part, metric: metric)
    }

    /// Restores a window that takes no more batches and may have a key.
    package mutating func restore(closing id: WindowID, at position: JournalPosition) { closing[id] = position }

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
        /// The identifier's events in the window with these.
        var used: UInt32 = 0
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
        func key(_ share: Share) -> UInt64 { identifier.hash(with: space.metrics[share.ordinal].seed, 0) }
        for share in shares { window.contributions.expect(key(share)) }
        for (place, share) in shares.enumerated() {
            let known = window.contributions[key(share)]
            let rung = space.metrics[share.ordinal].rung(after: known.used)
            guard known.partition == .max || known.partition == share.partition, share.events <= Int64(rung.room) else {
                return false
            }
            (shares[place].shift, shares[place].used) = (rung.shift, known.used + UInt32(share.events))
        }
        for share in shares {
            window.contributions.set(key(share), used: share.used, partition: share.partition)
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
        apply(additions, in: batch, of: sender, to: &window, appearances: &appearances)
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

extension OpenWindow {
    /// Returns part of a table, or of the periods that it refers to.
    fileprivate func part(_ kind: WindowPart.Kind, of metric: Int, from place: WindowPart.Place) -> WindowPart.Contents?
    {
        switch kind {
        case .batches: batches.part(kind, from: place, refusalBytes: 0)
        case .pairs: .sections(of: pairs, from: place)
        case .proved: .sections(of: proved, from: place)
        case .contributions: .sections(of: contributions, from: place)
        case .progress, .progressPeriods: progress[metric]?.part(kind, from: place)
        case .head, .refusals, .withdrawn, .end: nil
        }
    }

    /// Takes a part over; false if it is malformed.
    fileprivate mutating func load(_ part: WindowPart.Loaded, metric: Int?) -> Bool {
        switch part.kind {
        case .head, .refusals, .batches: return batches.load(part)
        case .pairs: return part.fill(&pairs)
        case .proved: return part.fill(&proved)
        case .contributions: return part.fill(&contributions)
        case .progress, .progressPeriods:
            guard let metric else { return true }
            return progress[metric, default: WindowProgress()].load(part)
        case .withdrawn:
            let numbers = part.numbers.map { UInt64(bitPattern: $0) }
            for place in stride(from: 0, to: numbers.count - numbers.count % 4, by: 4) {
                let identifier = KeyedIdentifier(high: numbers[place], low: numbers[place + 1])
                withdrawn[identifier] = .init(
                    position: JournalPosition(numbers[place + 2]), isDone: numbers[place + 3] != 0)
            }
            return numbers.count % 4 == 0
        case .end:
            guard let last = part.numbers.first else { return false }
            lastPosition = max(lastPosition, JournalPosition(UInt64(bitPattern: last)))
            return true
        }
    }
}

extension WindowPart.Contents {
    /// Returns the part that holds requests for removal.
    fileprivate static func withdrawn(_ withdrawn: [KeyedIdentifier: OpenWindow.Withdrawn]) -> Self {
        Self { head in
            var numbers: [Int64] = []
            numbers.reserveCapacity(4 * withdrawn.count)
            for (identifier, request) in withdrawn {
                numbers += [identifier.high, identifier.low, request.position.value, request.isDone ? 1 : 0]
                    .map { Int64(bitPattern: $0) }
            }
            return Self.numbers(numbers).bytes(head)
        }
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
