internal import ThrongPlan

extension Counting {
    /// Counts again what the journal recorded, in its order.
    ///
    /// - Parameter now: Unix seconds; a window that is over is not remembered again.
    public mutating func replay(_ record: CountedBatch, now: Int64) {
        position = max(position, record.position)
        if record.window.over > now {
            replayWindow(of: record)
        } else {
            closing[record.window] = record.position
        }
        if unresolved != nil {
            unresolved?.append(record)
        } else if record.position > flushed {
            addDeltas(of: record)
        }
    }

    /// Learns the journal's last position, where its last records could not be read any more.
    public mutating func reach(_ last: JournalPosition) { position = max(position, last) }

    private mutating func replayWindow(of record: CountedBatch) {
        var window = windows.removeValue(forKey: record.window) ?? OpenWindow()
        for addition in record.additions {
            let metric = space.metrics[addition.metric]
            let key = record.identifier.hash(with: metric.seed, 0)
            let used = window.contributions[key].used &+ UInt32(clamping: addition.count)
            window.contributions[key] = .init(used: used, partition: metric.partition(addition.cell.value))
        }
        for appearance in record.appearances {
            let margin = space.metrics[appearance.metric].margins[appearance.margin]
            let hash = record.identifier.hash(
                with: margin.seed &+ UInt64(appearance.cell.value), UInt64(bitPattern: appearance.periodStart))
            _ = window.pairs.insert(hash)
        }
        window.batches[record.batch] = .init(position: record.position, answer: record.answer)
        window.lastPosition = record.position
        windows[record.window] = window
    }

    private mutating func addDeltas(of record: CountedBatch) {
        for addition in record.additions { addDeltas(of: addition) }
        for appearance in record.appearances {
            let margin = space.metrics[appearance.metric].margins[appearance.margin]
            pending.addIdentifier(
                toTracked: margin.firstTracked + appearance.cell.value,
                periodStart: appearance.periodStart,
                window: record.window.number)
        }
    }

    /// Learns PostgreSQL's watermark, where it was not known at the start.
    public mutating func resolve(watermark: JournalPosition) {
        guard let waiting = unresolved else { return }
        unresolved = nil
        flushed = watermark
        position = max(position, watermark)
        for record in waiting where record.position > watermark { addDeltas(of: record) }
    }

    /// What PostgreSQL should get next: the flush that is under way, or else everything that is pending; nil for
    /// nothing, or while the watermark is unknown.
    public mutating func freeze() -> Flush? {
        if let frozen { return frozen }
        guard unresolved == nil, position > flushed else { return nil }
        let flush = Flush(
            after: flushed,
            through: position,
            layouts: space.layouts,
            counters: pending.counterDeltas(in: space),
            distinct: pending.distinctDeltas(in: space))
        saturations += pending.saturations
        pending = PendingDeltas()
        frozen = flush
        return flush
    }

    /// Learns that the flush under way is in PostgreSQL, and which periods are closed there.
    public mutating func applied(_ flush: Flush, closed periods: Set<ClosedPeriod>) {
        flushed = flush.through
        frozen = nil
        closed = periods
    }

    /// Forgets windows that are over.
    ///
    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - known: the windows that have keys.
    /// - Returns: those of them that are over and whose batches are all in PostgreSQL: their keys can be destroyed.
    public mutating func closeWindows(now: Int64, among known: [WindowID]) -> [WindowID] {
        for (id, window) in windows where id.over <= now {
            closing[id] = window.lastPosition
            windows[id] = nil
        }
        let settled = known.filter { $0.over <= now && closing[$0, default: .start] <= flushed }
        for id in settled { closing[id] = nil }
        return settled
    }

    /// Counters that PostgreSQL does not have yet.
    public var pendingCells: Int { pending.count + (frozen.map { $0.counters.count + $0.distinct.count } ?? 0) }
    /// (identifier, cell) pairs in open windows.
    public var openPairs: Int { windows.values.reduce(0) { $0 + $1.pairs.count } }
}
