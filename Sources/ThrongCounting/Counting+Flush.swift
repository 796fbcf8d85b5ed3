package import ThrongPlan

extension Counting {
    /// Counts again what the journal recorded, in its order.
    ///
    /// - Parameter now: of a window that is over only the contributions to sums are added up again, for
    ///   the two largest that PostgreSQL does not have yet, and what metrics that count identifiers saw, until the record of
    ///   its closing.
    package mutating func replay(_ record: CountedRecord, now: UnixSeconds) {
        switch record {
        case .batch(let batch): replay(batch, now: now)
        case .closing(let closing): replay(closing)
        case .withdrawal(let withdrawal): replay(withdrawal)
        case .removalRequest(let request): replay(request)
        case .removal(let removal): replay(removal)
        }
    }

    /// Counts a batch again: see ``replay(_:now:)``.
    package mutating func replay(_ record: CountedBatch, now: UnixSeconds) {
        position = max(position, record.position)
        if !windows.contains(record.window) { closeWindows(longBefore: record.window, now: now) }
        let place = windows.place(of: record.window)
        var window = windows.takeOut(place)
        replayTotals(of: record, in: &window)
        if record.window.over > now { replayIdentifier(of: record, in: &window) }
        replayProgress(of: record, in: &window)
        window.lastPosition = record.position
        windows.putBack(window, at: place)
        if unresolved != nil {
            unresolved?.append(record, in: space)
        } else if record.position > flushed {
            addDeltas(of: record)
            freezeIfLarge(through: record.position)
        }
    }

    /// Learns the journal's last position once all of it was replayed: its last records may be past reading.
    package mutating func reach(_ last: JournalPosition) {
        position = max(position, last)
        parts = []
        removals = []
        windows.settle()
        measure()
    }

    private mutating func replayIdentifier(of record: CountedBatch, in window: inout OpenWindow) {
        if record.isProved { window.replayProof(of: record.identifier) }
        for (place, first) in record.additions.enumerated()
        where !record.additions[..<place].contains(where: { $0.metric == first.metric }) {
            let metric = space.metrics[first.metric]
            guard metric.hasIdentifiers else { continue }
            let used = record.additions[place...].reduce(UInt32(0)) { used, addition in
                addition.metric == first.metric ? used &+ UInt32(clamping: addition.count) : used
            }
            window.contributions.addLater(
                record.identifier.hash(with: metric.seed, 0), used: used, partition: metric.partition(first.cell).value,
                at: record.position)
        }
        for appearance in record.appearances {
            let margin = space.marginPlace(of: appearance)
            let seed = margin.seed &+ UInt64(appearance.cell.value)
            window.pairs.insertLater(
                record.identifier.hash(with: seed, UInt64(bitPattern: appearance.periodStart.value)))
        }
        for addition in record.additions where !addition.firsts.isEmpty {
            guard let firsts = space.metrics[addition.metric].firsts else { continue }
            for place in addition.firsts {
                window.pairs.insertLater(firsts.hash(place, addition, by: record.identifier))
            }
        }
        note(in: &window) { $0.addLater(record.batch, record.answer, at: record.position, room: $1) }
    }

    private mutating func replayTotals(of record: CountedBatch, in window: inout OpenWindow) {
        // While the watermark is unknown all pairs count as new: a pair that PostgreSQL has already changes nothing.
        let isKnown = unresolved == nil && record.position <= flushed
        for addition in record.additions where !addition.sums.isEmpty {
            let firstSum = space.metrics[addition.metric].firstSum
            addTotals(
                of: addition, by: record.identifier, in: record.window.number,
                to: &window.totals[addition.metric, default: ContributionTotals(firstSum: firstSum)],
                replayed: record.position, isKnown: isKnown)
        }
    }

    /// Adds to what an identifier has contributed to the sums of tracked cells, and notes the two largest of each cell
    /// where they changed.
    ///
    /// - Parameters:
    ///   - replayed: the place of the record that is replayed; nil for one that is counted now.
    ///   - isKnown: whether PostgreSQL has this addition, so that nothing has to be flushed.
    mutating func addTotals(
        of addition: CountedBatch.Addition,
        by identifier: KeyedIdentifier,
        in window: WindowNumber,
        to totals: inout ContributionTotals,
        replayed: JournalPosition? = nil,
        isKnown: Bool = false
    ) {
        space.metrics[addition.metric].forEachContribution(of: addition, by: identifier) { slot, key, amount in
            let changed = totals.add(
                amount, by: key, toSum: slot, periodStart: addition.periodStart, at: replayed)
            if let changed, !isKnown {
                pending.set(changed, ofSum: slot, periodStart: addition.periodStart, window: window)
            }
        }
    }

    private mutating func addDeltas(of record: CountedBatch) {
        record.forEachCoverage { pending.coverage.add($0) }
        for addition in record.additions { addDeltas(of: addition) }
        for appearance in record.appearances {
            pending.addIdentifiers(
                toTracked: space.marginPlace(of: appearance).firstTracked + appearance.cell.value,
                periodStart: appearance.periodStart,
                window: record.window.number)
        }
    }

    /// Whether PostgreSQL's watermark is known.
    package var isResolved: Bool { unresolved == nil }

    /// Learns PostgreSQL's watermark, where it was not known at the start.
    package mutating func resolve(watermark: JournalPosition) {
        guard let waiting = unresolved else { return }
        unresolved = nil
        flushed = watermark
        position = max(position, watermark)
        // PostgreSQL has the pairs of all that it has: of a period that was released since, they would count for the open one.
        pending.keepTop(of: pending.touched(in: space).union(waiting.touched(after: watermark, in: space)), in: space)
        guard let last = waiting.last, last > watermark else { return }
        // What was counted since the start stays for later: it is behind all that waited. But the two largest contributions
        // are no deltas, and must not come after the sums that they are of.
        var deltas = pending.takeTop()
        waiting.add(after: watermark, to: &deltas) { deltas, position in
            guard deltas.count >= bounds.flushCells else { return }
            freeze(deltas, through: position)
            deltas = PendingDeltas()
        }
        if position > last {
            if frozen.last?.through != last { freeze(deltas, through: last) }
        } else {
            // Nothing was counted since; what was refused without consent has no position.
            for delta in pending.coverage.deltas { deltas.coverage.add(delta) }
            pending = deltas
        }
    }

    /// Keeps a flush from growing beyond what PostgreSQL takes in one go.
    ///
    /// - Parameter position: everything up to here is pending, or was before.
    mutating func freezeIfLarge(through position: JournalPosition) {
        guard unresolved == nil, pending.count >= bounds.flushCells else { return }
        freeze(pending, through: position)
        pending = PendingDeltas()
    }

    private mutating func freeze(_ deltas: PendingDeltas, through position: JournalPosition) {
        frozen.append(
            FrozenDeltas(after: frozen.last?.through ?? flushed, through: position, space: space, deltas: deltas))
        saturations += deltas.saturations
    }

    /// What PostgreSQL should get next: the flush that is under way, or else the oldest of what is pending, mostly all of
    /// it; nil for nothing, or while the watermark is unknown.
    ///
    /// - Complexity: O(1); ``FrozenDeltas/flush()`` does the work, for which nobody who counts has to wait.
    package mutating func takePending() -> FrozenDeltas? {
        if frozen.isEmpty, unresolved == nil, position > flushed {
            freeze(pending, through: position)
            pending = PendingDeltas()
        }
        return frozen.first
    }

    /// ``takePending()`` as a flush.
    package mutating func freeze() -> Flush? { takePending()?.flush() }

    /// Learns that the flush under way is in PostgreSQL, and which periods are closed there.
    package mutating func applied(_ flush: Flush, closed periods: Set<ClosedPeriod>) {
        flushed = flush.through
        frozen.removeAll { $0.through <= flush.through }
        closed = periods
    }

    /// Forgets windows that are over, once those with something to close were taken out: ``takeEnded(now:)``.
    ///
    /// - Parameters:
    ///   - known: the windows that have keys.
    /// - Returns: those of them that are over and whose batches are all in PostgreSQL: their keys can be destroyed.
    package mutating func closeWindows(now: UnixSeconds, among known: [WindowID]) -> [WindowID] {
        // Those that were settled before have no key by now. Until then nobody who had their key in hand counts in them,
        // even if the clock was set back meanwhile.
        if !closing.isEmpty {
            let known = Set(known)
            closing = closing.filter { known.contains($0.key) || $0.value > flushed }
        }
        closeWindows { $0.over <= now }
        measure()
        return known.filter {
            $0.over <= now && !windows.contains($0) && closing[$0, default: .start] <= flushed
        }
    }

    /// Keeps a long replay from remembering all of its windows at once.
    ///
    /// The first batch of a window comes when the window before it has begun, and then those three before it are over. Of a
    /// window that was taken over it comes while others of the same time still count.
    private mutating func closeWindows(longBefore later: WindowID, now: UnixSeconds) {
        closeWindows { id in
            id.over <= now && id.number.asOpened.value <= later.number.asOpened.value - 3
                && (id.app, id.purpose, id.rotation.seconds) == (later.app, later.purpose, later.rotation.seconds)
        }
    }

    /// Forgets windows, but for those of which a closing is still to be made.
    private mutating func closeWindows(where isOver: (WindowID) -> Bool) {
        for (id, window) in windows.remove(where: { isOver($0) && $1.progress.isEmpty && !$1.awaitsRemoval }) {
            closing[id] = window.lastPosition
        }
    }

    /// Counters that PostgreSQL does not have yet.
    package var pendingCells: Int {
        frozen.reduce(pending.count) { $0 + $1.deltas.count }
    }
    /// (identifier, cell) pairs in open windows, once for the distinct count and once a sum, and identifiers that are
    /// themselves counted.
    package var openPairs: Int {
        windows.all.reduce(0) {
            $0 + $1.pairs.count + $1.totals.values.reduce(0) { $0 + $1.count }
                + $1.progress.values.reduce(0) { $0 + $1.count }
        }
    }
}
