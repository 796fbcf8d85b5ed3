internal import ThrongFaults
package import ThrongPlan
package import ThrongWire

/// Counts batches: a pure state machine without I/O. The caller journals what it returns, in the same order.
package struct Counting: Sendable {
    /// The counters that this process knows.
    package let space: CellSpace
    /// The place of the last batch that was counted.
    package internal(set) var position: JournalPosition
    /// Everything up to here is in PostgreSQL.
    package internal(set) var flushed: JournalPosition

    var windows = OpenWindows()
    var closing: [WindowID: JournalPosition] = [:]
    var pending = PendingDeltas()
    /// What PostgreSQL gets next, oldest first; each goes on where the one before it ends.
    var frozen: [FrozenDeltas] = []
    /// The parts of a closing whose last is still to come.
    var parts: [WindowClosing] = []
    /// The same of removals.
    var removals: [Removal] = []
    var closed: Set<ClosedPeriod> = []
    var unresolved: UnresolvedDeltas?
    /// How often a counter has reached the bounds of `Int64` since the start: any is an alarm.
    package internal(set) var saturations = 0
    let bounds: Bounds
    /// What the refusals that are known of open windows take. Unit: bytes.
    package internal(set) var refusalBytes = 0
    /// About what open windows took when that was measured last. Unit: bytes.
    package internal(set) var windowBytes = 0
    private var countedSinceMeasured = 0

    /// How much may be held in memory.
    package struct Bounds: Sendable, Hashable {
        /// `intake.windows-bytes` (int, 4 GiB, bytes): once open windows take so much, about, no new batch is taken; until
        /// they take a sixteenth more, those of identifiers that are known in their window still are.
        package var windowBytes: Int
        /// `intake.refusals-bytes` (int, 64 MiB, bytes): refusals to be told again; one window may have a quarter of it.
        package var refusalBytes: Int
        /// Once PostgreSQL lacks so many counters, what comes later is another flush. Unit: touched counters.
        package var flushCells: Int

        /// The documented defaults.
        package init(windowBytes: Int = 4 << 30, refusalBytes: Int = 64 << 20, flushCells: Int = 1_000_000) {
            self.windowBytes = windowBytes
            self.refusalBytes = refusalBytes
            self.flushCells = flushCells
        }
    }

    /// Starts with nothing counted.
    ///
    /// - Parameters:
    ///   - watermark: PostgreSQL's watermark for this daemon; nil where PostgreSQL can't be asked yet. Then replayed
    ///     batches are kept one by one until ``resolve(watermark:)``.
    ///   - position: the place of the last batch that the journal holds.
    package init(
        space: CellSpace, position: JournalPosition, watermark: JournalPosition?, bounds: Bounds = Bounds()
    ) {
        self.space = space
        self.bounds = bounds
        self.position = max(position, watermark ?? .start)
        flushed = watermark ?? .start
        unresolved = watermark == nil ? UnresolvedDeltas() : nil
    }

    /// What counting a batch came to.
    package enum Outcome: Sendable {
        /// It was counted; journal this, then answer.
        case counted(CountedBatch)
        /// It was counted before; answer the same once that place is on disk.
        case repeated(BatchAnswer, JournalPosition)
        /// Its identifier was taken out of the window: nothing of it is counted.
        case withdrawn
        /// Its window is over.
        case windowOver
        /// Open windows take as much memory as they may: nothing was counted, and nobody new is until some are over.
        case full
    }

    /// Counts a batch once.
    ///
    /// - Parameters:
    ///   - identifier: the batch's identifier under its window's key.
    ///   - hasProof: whether the batch proves the identifier; once is enough for its window.
    ///   - liftsFloors: whether the identifier counts for floors that ask for no proof; else it adds to values alone.
    ///   - openPeriod: the start of the period of a layout that is open now; asked only for events of a closed one.
    package mutating func count(
        _ batch: BucketedBatch,
        identifier: KeyedIdentifier,
        hasProof: Bool = false,
        liftsFloors: Bool = true,
        now: UnixSeconds,
        openPeriod: (MetricLayout) -> UnixSeconds
    ) -> Outcome {
        // Over for good, even if the clock was set back since: whom it counted may be forgotten already.
        guard batch.window.over > now, closing[batch.window] == nil else { return .windowOver }
        // The window is taken out for the length of the call so that it changes in place.
        let place = windows.place(of: batch.window)
        var window = windows.takeOut(place)
        defer { windows.putBack(window, at: place) }
        if let known = window.batches.answer(to: batch.id, events: batch.events.count) {
            return .repeated(known.answer, known.position)
        }
        guard window.withdrawn.isEmpty || window.withdrawn[identifier] == nil || Fault.countWithdrawn.isOn else {
            return .withdrawn
        }
        guard !isFull || hasReserve && knows(identifier, of: batch, in: &window) else { return .full }

        let sender = Sender(
            identifier: identifier, isProved: window.isProved(identifier, now: hasProof), liftsFloors: liftsFloors)
        position = position.next
        var accepted = 0
        var refused: [BatchAnswer.Refusal] = []
        var additions: [CountedBatch.Addition] = []
        var appearances: [CountedBatch.Appearance] = []
        if addAtOnce(batch, of: sender, to: &window, additions: &additions, appearances: &appearances) {
            for (index, event) in batch.events.enumerated() {
                guard let refusal = event.refusal else { continue }
                refused.append(.init(index: index, reason: refusal))
            }
            accepted = batch.events.count - refused.count
        } else {
            (accepted, refused) = addEventByEvent(
                batch, of: sender, openPeriod: openPeriod, to: &window, additions: &additions,
                appearances: &appearances)
        }
        let advances = batch.marks.isEmpty ? [] : advance(sender, by: batch, in: &window)
        let answer = BatchAnswer(accepted: accepted, refused: refused)
        note(in: &window) { [position] in $0.add(batch.id, answer, at: position, room: $1) }
        window.lastPosition = position
        let counted = CountedBatch(
            position: position,
            window: batch.window,
            batch: batch.id,
            identifier: identifier,
            answer: answer,
            additions: additions,
            appearances: appearances,
            advances: advances,
            isProved: sender.isProved)
        counted.forEachCoverage { pending.coverage.add($0) }
        freezeIfLarge(through: position)
        countedSinceMeasured += 1
        if countedSinceMeasured == Self.measuredEvery { measure(with: window) }
        return .counted(counted)
    }

    private static var measuredEvery: Int { 256 }

    /// Whether open windows take as much memory as they may.
    package var isFull: Bool { windowBytes >= bounds.windowBytes }

    /// When the first of the open windows is over; nil where none is open.
    package var nextEnd: UnixSeconds? { windows.open.map(\.over).min() }

    /// Whether there is room for those who add little.
    var hasReserve: Bool { windowBytes - bounds.windowBytes < bounds.windowBytes / 16 }

    /// Whether a window holds an identifier in a metric that a batch adds to: what it adds then is little.
    private func knows(_ identifier: KeyedIdentifier, of batch: BucketedBatch, in window: inout OpenWindow) -> Bool {
        for contribution in batch.contributions {
            let key = identifier.hash(with: space.metrics[Int(contribution.metric)].seed, 0)
            if window.contributions[key].used > 0 { return true }
        }
        for mark in batch.marks {
            let key = identifier.hash(with: space.metrics[Int(mark.metric)].seed, 0)
            if window.progress[Int(mark.metric)]?[key] ?? 0 > 0 { return true }
        }
        return false
    }

    /// Sees how much memory open windows take.
    ///
    /// - Parameter lent: one that is taken out.
    mutating func measure(with lent: OpenWindow? = nil) {
        countedSinceMeasured = 0
        windowBytes = windows.all.reduce(lent?.bytes ?? 0) { $0 + $1.bytes }
        refusalBytes = windows.all.reduce(lent?.batches.refusalBytes ?? 0) { $0 + $1.batches.refusalBytes }
    }

    /// Notes an answer within what refusals may take, in a window and in all.
    mutating func note(in window: inout OpenWindow, _ body: (inout AnsweredBatches, _ room: Int) -> Void) {
        let before = window.batches.refusalBytes
        body(&window.batches, min(bounds.refusalBytes / 4, before + max(0, bounds.refusalBytes - refusalBytes)))
        refusalBytes += window.batches.refusalBytes - before
    }

    /// Counts with every bound looked at for every event, and periods that are closed left for the open one.
    private mutating func addEventByEvent(
        _ batch: BucketedBatch,
        of sender: Sender,
        openPeriod: (MetricLayout) -> UnixSeconds,
        to window: inout OpenWindow,
        additions: inout [CountedBatch.Addition],
        appearances: inout [CountedBatch.Appearance]
    ) -> (accepted: Int, refused: [BatchAnswer.Refusal]) {
        var accepted = 0
        var refused: [BatchAnswer.Refusal] = []
        additions.reserveCapacity(batch.contributions.count)
        for (index, event) in batch.events.enumerated() {
            var refusal = event.refusal
            // What only metrics that count identifiers look at is counted with its window.
            var isCounted = event.refusal == nil && event.contributions.isEmpty
            for place in event.contributions {
                var contribution = batch.contributions[Int(place)]
                let isLate = !closed.isEmpty && reroute(&contribution, openPeriod: openPeriod)
                let verdict = add(
                    contribution,
                    isLate: isLate,
                    in: batch,
                    of: sender,
                    to: &window,
                    additions: &additions,
                    appearances: &appearances)
                if let verdict { refusal = refusal ?? verdict } else { isCounted = true }
            }
            if isCounted {
                accepted += 1
            } else {
                refused.append(.init(index: index, reason: refusal ?? .unknownEvent))
            }
        }
        return (accepted, refused)
    }

    /// Adds one contribution within its bounds; returns why not where nothing was added.
    private mutating func add(
        _ contribution: BucketedBatch.Contribution,
        isLate: Bool,
        in batch: BucketedBatch,
        of sender: Sender,
        to window: inout OpenWindow,
        additions: inout [CountedBatch.Addition],
        appearances: inout [CountedBatch.Appearance]
    ) -> RefusalReason? {
        let metric = space.metrics[Int(contribution.metric)]
        let identifier = sender.identifier
        guard metric.hasIdentifiers else {
            // Each event by itself: nobody is known who could have added before.
            let addition = addition(of: contribution, min(contribution.count, metric.bound), isLate: isLate, in: batch)
            addDeltas(of: addition)
            additions.append(addition)
            return nil
        }
        let key = identifier.hash(with: metric.seed, 0)
        let partition = metric.partition(contribution.cell).value
        let known = window.contributions[key]
        guard known.partition == .max || known.partition == partition else { return .partitionConflict }
        let amount = min(contribution.count, metric.bound - known.used)
        guard amount > 0 else { return .contributionBound }

        var addition = addition(of: contribution, amount, isLate: isLate, in: batch)
        addition.settle(sender, metric, in: &window)
        window.contributions.set(key, used: known.used + amount, partition: partition)
        apply(addition, in: batch, of: sender, to: &window, appearances: &appearances)
        additions.append(addition)
        return nil
    }

    /// What a contribution adds when it counts so often.
    private func addition(
        of contribution: BucketedBatch.Contribution, _ amount: UInt32, isLate: Bool, in batch: BucketedBatch
    ) -> CountedBatch.Addition {
        let ordinal = Int(contribution.metric)
        let sums = (0..<space.metrics[ordinal].sumCount).map { place in
            let (product, overflow) = batch.amounts[Int(contribution.firstAmount) + place]
                .multipliedReportingOverflow(by: Int64(amount))
            return overflow ? (product > 0 ? Int64.min : .max) : product
        }
        return CountedBatch.Addition(
            metric: ordinal,
            cell: contribution.cell,
            periodStart: contribution.periodStart,
            count: Int64(amount),
            sums: sums,
            firsts: contribution.firsts,
            isLate: isLate)
    }

    /// Adds what is within all bounds.
    mutating func apply(
        _ addition: CountedBatch.Addition,
        in batch: BucketedBatch,
        of sender: Sender,
        to window: inout OpenWindow,
        appearances: inout [CountedBatch.Appearance]
    ) {
        let metric = space.metrics[addition.metric]
        let identifier = sender.identifier
        addDeltas(of: addition)
        if !addition.sums.isEmpty {
            addTotals(
                of: addition, by: identifier, in: batch.window.number,
                to: &window.totals[addition.metric, default: ContributionTotals(firstSum: metric.firstSum)])
        }
        guard sender.lifts(metric) else { return }
        for place in metric.margins.indices {
            let margin = metric.margins[place]
            let cell = margin.projection(addition.cell)
            let hash = identifier.hash(
                with: margin.seed &+ UInt64(cell.value), UInt64(bitPattern: addition.periodStart.value))
            guard window.pairs.insert(hash) else { continue }
            pending.addIdentifiers(
                toTracked: margin.firstTracked + cell.value,
                periodStart: addition.periodStart,
                window: batch.window.number)
            appearances.append(
                .init(metric: addition.metric, margin: place, cell: cell, periodStart: addition.periodStart))
        }
    }

    mutating func addDeltas(of addition: CountedBatch.Addition) {
        space.metrics[addition.metric].forEachCounter(of: addition) { slot, amount in
            pending.add(amount, toCounter: slot, periodStart: addition.periodStart)
        }
    }

    /// Moves what a closed period would get to the one that is open; false where its own is open.
    private func reroute(
        _ contribution: inout BucketedBatch.Contribution, openPeriod: (MetricLayout) -> UnixSeconds
    ) -> Bool {
        let ordinal = Int(contribution.metric)
        let period = ClosedPeriod(layout: space.ids[ordinal], periodStart: contribution.periodStart)
        guard closed.contains(period) else { return false }
        let open = openPeriod(space.layouts[ordinal])
        let firsts = space.metrics[ordinal].firsts
        contribution = .init(
            metric: contribution.metric,
            cell: contribution.cell,
            periodStart: open,
            count: contribution.count,
            firstAmount: contribution.firstAmount,
            // A first of a day that was released is none of the next; of their week it still is one.
            firsts: firsts?.kept(contribution.firsts, from: contribution.periodStart, to: open) ?? .none)
        return true
    }
}
