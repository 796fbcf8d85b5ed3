internal import ThrongPlan

extension Counting {
    /// Counts again what the journal recorded, in its order.
    ///
    /// - Parameter now: Unix seconds; of a window that is over only the contributions to sums are added up again, for
    ///   the two largest that PostgreSQL does not have yet, and what metrics that count identifiers saw, until the record of
    ///   its closing.
    public mutating func replay(_ record: CountedRecord, now: Int64) {
        switch record {
        case .batch(let batch): replay(batch, now: now)
        case .closing(let closing): replay(closing)
        }
    }

    /// Counts a batch again: see ``replay(_:now:)``.
    public mutating func replay(_ record: CountedBatch, now: Int64) {
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
        }
    }

    /// Learns the journal's last position once all of it was replayed: its last records may be past reading.
    public mutating func reach(_ last: JournalPosition) {
        position = max(position, last)
        windows.settle()
    }

    private func replayIdentifier(of record: CountedBatch, in window: inout OpenWindow) {
        for (place, first) in record.additions.enumerated()
        where !record.additions[..<place].contains(where: { $0.metric == first.metric }) {
            let metric = space.metrics[first.metric]
            let used = record.additions[place...].reduce(UInt32(0)) { used, addition in
                addition.metric == first.metric ? used &+ UInt32(clamping: addition.count) : used
            }
            window.contributions.addLater(
                record.identifier.hash(with: metric.seed, 0), used: used, partition: metric.partition(first.cell).value)
        }
        for appearance in record.appearances {
            let margin = space.marginPlace(of: appearance)
            let seed = margin.seed &+ UInt64(appearance.cell.value)
            window.pairs.insertLater(record.identifier.hash(with: seed, UInt64(bitPattern: appearance.periodStart)))
            if appearance.margin == 0, margin.isBounded {
                window.cells[record.identifier.hash(with: space.metrics[appearance.metric].seed, 0)] += 1
            }
        }
        for addition in record.additions where !addition.firsts.isEmpty {
            guard let firsts = space.metrics[addition.metric].firsts else { continue }
            for place in addition.firsts {
                window.pairs.insertLater(firsts.hash(place, addition, by: record.identifier))
            }
        }
        window.batches.addLater(record.batch, record.answer, at: record.position)
    }

    private mutating func replayTotals(of record: CountedBatch, in window: inout OpenWindow) {
        // While the watermark is unknown all pairs count as new: a pair that PostgreSQL has already changes nothing.
        let isKnown = unresolved == nil && record.position <= flushed
        for addition in record.additions where !addition.sums.isEmpty {
            addTotals(
                of: addition, by: record.identifier, in: record.window.number,
                to: &window.totals[addition.metric, default: ContributionTotals()], isKnown: isKnown)
        }
    }

    /// Adds to what an identifier has contributed to the sums of tracked cells, and notes the two largest of each cell
    /// where they changed.
    ///
    /// - Parameter isKnown: whether PostgreSQL has this addition, so that nothing has to be flushed.
    mutating func addTotals(
        of addition: CountedBatch.Addition,
        by identifier: KeyedIdentifier,
        in window: WindowNumber,
        to totals: inout ContributionTotals,
        isKnown: Bool
    ) {
        let metric = space.metrics[addition.metric]
        for margin in metric.margins {
            let cell = margin.projection(addition.cell).value
            let hash = identifier.hash(with: margin.seed &+ UInt64(cell), UInt64(bitPattern: addition.periodStart))
            for (place, sum) in addition.sums.enumerated() {
                let contribution = metric.shifts[place].saturatingMultiply(addition.count).saturatingAdd(sum)
                let slot = margin.firstSum + cell * UInt32(metric.sumCount) + UInt32(place)
                let changed = totals.add(
                    max(contribution, 0),
                    by: hash &+ UInt64(place),
                    toSum: slot,
                    periodStart: addition.periodStart)
                if let changed, !isKnown {
                    pending.set(changed, ofSum: slot, periodStart: addition.periodStart, window: window)
                }
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
    public var isResolved: Bool { unresolved == nil }

    /// Learns PostgreSQL's watermark, where it was not known at the start.
    public mutating func resolve(watermark: JournalPosition) {
        guard let waiting = unresolved else { return }
        unresolved = nil
        flushed = watermark
        position = max(position, watermark)
        waiting.add(after: watermark, to: &pending)
    }

    /// What PostgreSQL should get next: the flush that is under way, or else everything that is pending; nil for
    /// nothing, or while the watermark is unknown.
    ///
    /// - Complexity: O(1); ``FrozenDeltas/flush()`` does the work, for which nobody who counts has to wait.
    public mutating func takePending() -> FrozenDeltas? {
        if let frozen { return frozen }
        guard unresolved == nil, position > flushed else { return nil }
        let taken = FrozenDeltas(after: flushed, through: position, space: space, deltas: pending)
        saturations += pending.saturations
        pending = PendingDeltas()
        frozen = taken
        return taken
    }

    /// ``takePending()`` as a flush.
    public mutating func freeze() -> Flush? { takePending()?.flush() }

    /// Learns that the flush under way is in PostgreSQL, and which periods are closed there.
    public mutating func applied(_ flush: Flush, closed periods: Set<ClosedPeriod>) {
        flushed = flush.through
        frozen = nil
        closed = periods
    }

    /// Forgets windows that are over, once those with something to close were taken out: ``takeEnded(now:)``.
    ///
    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - known: the windows that have keys.
    /// - Returns: those of them that are over and whose batches are all in PostgreSQL: their keys can be destroyed.
    public mutating func closeWindows(now: Int64, among known: [WindowID]) -> [WindowID] {
        closeWindows { $0.over <= now }
        let settled = known.filter {
            $0.over <= now && !windows.contains($0) && closing[$0, default: .start] <= flushed
        }
        for id in settled { closing[id] = nil }
        return settled
    }

    /// Keeps a long replay from remembering all of its windows at once.
    ///
    /// The first batch of a window comes when the window before it has begun, and then those three before it are over.
    private mutating func closeWindows(longBefore later: WindowID, now: Int64) {
        closeWindows { id in
            id.over <= now && id.number.value <= later.number.value - 3
                && (id.app, id.purpose, id.rotation.seconds) == (later.app, later.purpose, later.rotation.seconds)
        }
    }

    /// Forgets windows, but for those of which a closing is still to be made.
    private mutating func closeWindows(where isOver: (WindowID) -> Bool) {
        for (id, window) in windows.remove(where: { isOver($0) && $1.progress.isEmpty }) {
            closing[id] = window.lastPosition
        }
    }

    /// Counters that PostgreSQL does not have yet.
    public var pendingCells: Int {
        pending.count + (frozen?.deltas.count ?? 0)
    }
    /// (identifier, cell) pairs in open windows, once for the distinct count and once a sum, and identifiers that are
    /// themselves counted.
    public var openPairs: Int {
        windows.all.reduce(0) {
            $0 + $1.pairs.count + $1.totals.values.reduce(0) { $0 + $1.count }
                + $1.progress.values.reduce(0) { $0 + $1.count }
        }
    }
}
