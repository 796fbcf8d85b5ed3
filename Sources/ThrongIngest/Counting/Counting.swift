package import ThrongPlan
internal import ThrongSystem

/// Counts batches: a pure state machine without I/O. The caller journals what it returns, in the same order.
package struct Counting: Sendable {
    /// The counters that this process knows.
    package let space: CellSpace
    /// The place of the last record that was counted.
    package internal(set) var position: JournalPosition
    /// The position up to which everything is in PostgreSQL.
    package internal(set) var flushed: JournalPosition

    var windows = OpenWindows()
    var closing: [WindowID: JournalPosition] = [:]
    var pending = PendingDeltas()
    /// The deltas that PostgreSQL gets next, oldest first; each continues where the one before it ends.
    var frozen: [FrozenDeltas] = []
    /// The parts of a closing that is not complete yet.
    var parts: [WindowClosing] = []
    /// The parts of a removal that is not complete yet.
    var removals: [Removal] = []
    var lateness = Lateness()
    var unresolved: UnresolvedDeltas?
    /// The number of times that a counter has reached a bound of `Int64` since the start: any is an alarm.
    package internal(set) var saturations = 0
    let bounds: Bounds
    /// The size of the listed refusals of open windows. Unit: bytes.
    package internal(set) var refusalBytes = 0
    /// The approximate size of open windows when it was last measured. Unit: bytes.
    package internal(set) var windowBytes = 0
    private var countedSinceMeasured = 0

    package struct Bounds: Sendable, Hashable {
        /// `intake.windows-bytes` (int, 4 GiB, bytes): no new batch is taken once open windows take about so much.
        /// Identifiers that their window already knows are taken until it is a sixteenth more.
        package var windowBytes: Int
        /// The most for refusals that repeats are told again; one window may have a quarter of it. Beyond it a repeat
        /// is told how many there were. It is no setting, because nothing is lost. Unit: bytes.
        package var refusalBytes: Int
        /// The size at which pending deltas become a flush of their own. Unit: touched counters.
        package var flushCells: Int

        package init(windowBytes: Int = 4 << 30, refusalBytes: Int = 64 << 20, flushCells: Int = 1_000_000) {
            (self.windowBytes, self.refusalBytes, self.flushCells) = (windowBytes, refusalBytes, flushCells)
        }
    }

    /// Starts with nothing counted.
    ///
    /// - Parameter watermark: PostgreSQL's watermark for this daemon; nil if PostgreSQL can't be asked yet. Then
    ///   replayed batches are kept one by one until ``resolve(watermark:)``.
    package init(space: CellSpace, position: JournalPosition, watermark: JournalPosition?, bounds: Bounds = Bounds()) {
        self.space = space
        self.bounds = bounds
        self.position = max(position, watermark ?? .start)
        flushed = watermark ?? .start
        unresolved = watermark == nil ? UnresolvedDeltas() : nil
    }

    package enum Outcome: Sendable {
        /// It was counted; journal this, then answer.
        case counted(CountedBatch)
        /// It was counted before; answer the same once that place is on disk.
        case repeated(BatchAnswer, JournalPosition)
        /// Its identifier was taken out of the window: nothing of it is counted.
        case withdrawn
        case windowOver
        /// Open windows take as much memory as they may: nothing was counted, and no new batch is until some are over.
        case full
    }

    /// Counts a batch once.
    ///
    /// - Parameters:
    ///   - hasProof: true if the batch proves the identifier; one proof is enough for its window.
    ///   - liftsFloors: true if the identifier counts for floors that ask for no proof, and not for values alone.
    package mutating func count(
        _ batch: BucketedBatch, identifier: KeyedIdentifier, hasProof: Bool = false, liftsFloors: Bool = true,
        now: UnixSeconds
    ) -> Outcome {
        // A closed window stays closed, even if the clock was set back: its identifiers may be forgotten already.
        guard batch.window.over > now, closing[batch.window] == nil else { return .windowOver }
        // The window is taken out for the length of the call so that it changes in place.
        let place = windows.place(of: batch.window)
        var window = windows.takeOut(place)
        let outcome = count(
            batch, identifier: identifier, hasProof: hasProof, liftsFloors: liftsFloors, now: now, in: &window)
        windows.putBack(consume window, at: place)
        return outcome
    }

    private mutating func count(
        _ batch: BucketedBatch, identifier: KeyedIdentifier, hasProof: Bool, liftsFloors: Bool, now: UnixSeconds,
        in window: inout OpenWindow
    ) -> Outcome {
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
                batch, of: sender, now: now, to: &window, additions: &additions, appearances: &appearances)
        }
        let advances = batch.marks.isEmpty ? [] : advance(sender, by: batch, in: &window)
        let answer = BatchAnswer(accepted: accepted, refused: refused)
        note(in: &window) { [position] in $0.add(batch.id, answer, at: position, room: $1) }
        window.lastPosition = position
        let counted = CountedBatch(
            position: position, window: batch.window, batch: batch.id, identifier: identifier, answer: answer,
            additions: additions, appearances: appearances, advances: advances, isProved: sender.isProved)
        counted.forEachCoverage { pending.coverage.add($0) }
        freezeIfLarge(through: position)
        countedSinceMeasured += 1
        if countedSinceMeasured == Self.measuredEvery { measure(with: window) }
        return .counted(counted)
    }

    private static var measuredEvery: Int { 256 }

    /// True if open windows take as much memory as they may.
    package var isFull: Bool { windowBytes >= bounds.windowBytes }

    /// The end of the first open window to be over; nil if none is open.
    package var nextEnd: UnixSeconds? { windows.open.map(\.over).min() }

    /// True if there is room for identifiers that add little.
    var hasReserve: Bool { windowBytes - bounds.windowBytes < bounds.windowBytes / 16 }

    /// True if the window holds the identifier in a metric of the batch: the batch then adds little.
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

    /// Measures the memory of open windows.
    ///
    /// - Parameter lent: a window that is taken out.
    mutating func measure(with lent: OpenWindow? = nil) {
        countedSinceMeasured = 0
        windowBytes = windows.all.reduce(lent?.bytes ?? 0) { $0 + $1.bytes }
        refusalBytes = windows.all.reduce(lent?.batches.refusalBytes ?? 0) { $0 + $1.batches.refusalBytes }
    }

    /// Notes an answer within the bounds on refusals, for its window and for all.
    mutating func note(in window: inout OpenWindow, _ body: (inout AnsweredBatches, _ room: Int) -> Void) {
        let before = window.batches.refusalBytes
        body(&window.batches, min(bounds.refusalBytes / 4, before + max(0, bounds.refusalBytes - refusalBytes)))
        refusalBytes += window.batches.refusalBytes - before
    }

    /// Counts with every bound checked for every event, and moves events of closed periods to the open one.
    private mutating func addEventByEvent(
        _ batch: BucketedBatch, of sender: Sender, now: UnixSeconds, to window: inout OpenWindow,
        additions: inout [CountedBatch.Addition], appearances: inout [CountedBatch.Appearance]
    ) -> (accepted: Int, refused: [BatchAnswer.Refusal]) {
        var accepted = 0
        var refused: [BatchAnswer.Refusal] = []
        additions.reserveCapacity(batch.contributions.count)
        for (index, event) in batch.events.enumerated() {
            var refusal = event.refusal
            // An event that only concerns metrics that count identifiers is counted with its window.
            var isCounted = event.refusal == nil && event.isEmpty
            for var contribution in batch.contributions(of: event) {
                let isLate = reroute(&contribution, now: now)
                let verdict = add(
                    contribution, isLate: isLate, in: batch, of: sender, to: &window, additions: &additions,
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

    /// Adds one contribution within its bounds; returns the reason if nothing was added.
    private mutating func add(
        _ contribution: BucketedBatch.Contribution, isLate: Bool, in batch: BucketedBatch, of sender: Sender,
        to window: inout OpenWindow, additions: inout [CountedBatch.Addition],
        appearances: inout [CountedBatch.Appearance]
    ) -> RefusalReason? {
        let metric = space.metrics[Int(contribution.metric)]
        let identifier = sender.identifier
        guard metric.hasIdentifiers else {
            // Each event counts by itself: there is no identifier whose earlier additions could be known.
            let addition = addition(of: contribution, min(contribution.count, metric.bound), isLate: isLate, in: batch)
            addDeltas(of: addition)
            additions.append(addition)
            return nil
        }
        let key = identifier.hash(with: metric.seed, 0)
        let partition = metric.partition(contribution.cell).value
        let known = window.contributions[key]
        guard known.partition == .max || known.partition == partition else { return .partitionConflict }
        guard metric.bound > known.used else { return .contributionBound }
        let used = known.used + min(contribution.count, metric.bound - known.used)
        window.contributions.set(key, used: used, partition: partition)
        var before = known.used
        while before < used {
            let (shift, room) = metric.rung(after: before)
            let amount = min(room, used - before)
            var addition = addition(of: contribution, amount, isLate: isLate, in: batch)
            addition.cell = CellIndex(contribution.cell.value + shift)
            addition.settle(sender, metric, in: &window)
            apply([addition], in: batch, of: sender, to: &window, appearances: &appearances)
            additions.append(addition)
            before += amount
        }
        return nil
    }

    /// Returns the addition of `amount` occurrences of a contribution.
    private func addition(
        of contribution: BucketedBatch.Contribution, _ amount: UInt32, isLate: Bool, in batch: BucketedBatch
    ) -> CountedBatch.Addition {
        let ordinal = Int(contribution.metric)
        let sums = (0..<space.metrics[ordinal].sumCount).map { place in
            let each = batch.amounts[Int(contribution.firstAmount) + place]
            let (product, overflow) = each.multipliedReportingOverflow(by: Int64(amount))
            return overflow ? (each < 0 ? Int64.min : .max) : product
        }
        return CountedBatch.Addition(
            metric: ordinal, cell: contribution.cell, periodStart: contribution.periodStart, count: Int64(amount),
            sums: sums, firsts: contribution.firsts, isLate: isLate)
    }

    /// Adds additions that are within all bounds.
    mutating func apply(
        _ additions: [CountedBatch.Addition], in batch: BucketedBatch, of sender: Sender, to window: inout OpenWindow,
        appearances: inout [CountedBatch.Appearance]
    ) {
        // All places are asked for before the first is looked at: no cache holds them.
        var places: [(appearance: CountedBatch.Appearance, hash: UInt64, tracked: UInt32)] = []
        places.reserveCapacity(32)
        for addition in additions {
            addDeltas(of: addition)
            let (metric, start) = (space.metrics[addition.metric], addition.periodStart)
            guard sender.lifts(metric) else { continue }
            for place in metric.margins.indices {
                let margin = metric.margins[place]
                let cell = margin.projection(addition.cell)
                let hash = sender.identifier.hash(in: cell, of: margin.seed, start)
                window.pairs.expect(hash)
                let appearance = CountedBatch.Appearance(
                    metric: addition.metric, margin: place, cell: cell, periodStart: start)
                places.append((appearance, hash, margin.firstTracked + cell.value))
            }
        }
        for (appearance, hash, tracked) in places where window.pairs.insert(hash) {
            pending.addIdentifiers(
                1, toTracked: tracked, periodStart: appearance.periodStart, window: batch.window.number)
            appearances.append(appearance)
        }
    }

    mutating func addDeltas(of addition: CountedBatch.Addition) {
        space.metrics[addition.metric].forEachCounter(of: addition) { slot, amount in
            pending.add(amount, toCounter: slot, periodStart: addition.periodStart)
        }
    }

    /// Moves a contribution to a released period to the open one; false if its own was not released.
    private func reroute(_ contribution: inout BucketedBatch.Contribution, now: UnixSeconds) -> Bool {
        let (ordinal, own) = (Int(contribution.metric), contribution.periodStart)
        guard lateness.isReleased(own, of: ordinal, in: space) else { return false }
        let open = lateness.start(taking: own, of: ordinal, now: now, in: space)
        // A first of a day that was released is not one of the next day; it may still be a first of its week.
        let firsts = space.metrics[ordinal].firsts?.kept(contribution.firsts, from: own, to: open) ?? .none
        (contribution.periodStart, contribution.firsts) = (open, firsts)
        return true
    }
}
