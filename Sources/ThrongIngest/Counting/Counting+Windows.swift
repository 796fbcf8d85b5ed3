package import ThrongPlan

extension Counting {
    /// Advances an identifier in metrics that count identifiers, in the order of its batch's events. In metrics whose
    /// floors do not count it, it does not advance.
    mutating func advance(
        _ sender: Sender, by batch: BucketedBatch, in window: inout OpenWindow
    ) -> [CountedBatch.Advance] {
        struct Way {
            let metric: Int
            let before: Int
            var reached: Int
            var mark: BucketedBatch.Mark
        }
        var ways: [Way] = []
        for mark in batch.marks {
            let metric = Int(mark.metric)
            guard let within = space.metrics[metric].within, sender.lifts(space.metrics[metric]) else { continue }
            let known = ways.firstIndex { $0.metric == metric }
            let place = known ?? ways.count
            if known == nil {
                let key = sender.identifier.hash(with: space.metrics[metric].seed, 0)
                let reached = window.progress[metric, default: WindowProgress()][key]
                ways.append(Way(metric: metric, before: reached, reached: reached, mark: mark))
            }
            let reached = within.advanced(ways[place].reached, by: mark.steps, count: mark.count)
            // The cell and period are those of the first event that counts.
            if ways[place].reached == 0 { ways[place].mark = mark }
            ways[place].reached = reached
        }
        return ways.compactMap { way in
            guard way.reached > way.before else { return nil }
            let advance = CountedBatch.Advance(
                metric: way.metric, cell: way.mark.cell, periodStart: way.mark.periodStart,
                progress: UInt16(way.reached - way.before))
            let key = sender.identifier.hash(with: space.metrics[way.metric].seed, 0)
            window.progress[way.metric]?.advance(key, by: advance)
            return advance
        }
    }

    /// Replays how far a batch took its identifier.
    func replayProgress(of record: CountedBatch, in window: inout OpenWindow) {
        for advance in record.advances {
            let key = record.identifier.hash(with: space.metrics[advance.metric].seed, 0)
            window.progress[advance.metric, default: WindowProgress()]
                .advanceLater(key, by: advance, at: record.position)
        }
    }

    /// True if a batch was counted before: then it gets its answer again, even if new batches are refused.
    package mutating func hasCounted(_ batch: BucketedBatch) -> Bool {
        guard windows.contains(batch.window) else { return false }
        let place = windows.place(of: batch.window)
        var window = windows.takeOut(place)
        defer { windows.putBack(window, at: place) }
        return window.batches.answer(to: batch.id, events: batch.events.count) != nil
    }

    /// Takes out windows that are over and have progress in metrics that count identifiers. Their keys stay, and
    /// nothing more is counted in them; call ``close(_:largest:now:)`` for each.
    package mutating func takeEnded(now: UnixSeconds) -> [EndedWindow] {
        takeEnded { $0.over <= now && !$1.progress.isEmpty && !$1.awaitsRemoval }
    }

    private mutating func takeEnded(where isEnded: (WindowID, OpenWindow) -> Bool) -> [EndedWindow] {
        windows.remove(where: isEnded).sorted { $0.id < $1.id }.map { id, window in
            closing[id] = JournalPosition(.max)
            return EndedWindow(id: id, progress: window.progress, space: space)
        }
    }

    /// The ends of the first and the last window with a closing or a removal still to be made; nil if there is none.
    package var owed: ClosedRange<UnixSeconds>? {
        let ends = windows.open.filter { id in
            windows.window(of: id).map { !$0.progress.isEmpty || $0.awaitsRemoval } ?? false
        }.map(\.over)
        guard let first = ends.min(), let last = ends.max() else { return nil }
        return first...last
    }

    /// Drops windows that are over without counting them: PostgreSQL has more than this journal, so whoever counted that has closed them.
    ///
    /// - Returns: windows whose keys must be destroyed before anything else is counted: a later replay must not find
    ///   them open.
    package mutating func forgetEnded(now: UnixSeconds) -> [WindowID] {
        let ended = takeEnded { $0.over <= now && (!$1.progress.isEmpty || $1.awaitsRemoval) }.map(\.id)
        for window in ended { closing[window] = flushed }
        return ended
    }

    /// Closes a window that is over: each identifier's progress is forgotten from here on.
    ///
    /// - Parameter largest: the most additions that a record may hold.
    /// - Returns: journal these, in their order, before anything else is counted.
    package mutating func close(
        _ ended: TalliedWindow, largest: Int = WindowClosing.largest, now: UnixSeconds
    ) -> [WindowClosing] {
        var merged: [WindowPlace: UInt32] = [:]
        for (place, identifiers) in ended.counts {
            var place = place
            place.periodStart = lateness.start(taking: place.periodStart, of: place.metric, now: now, in: space)
            merged[place, default: 0] += identifiers
        }
        let additions = merged.sorted { $0.key < $1.key }.map { place, identifiers in
            WindowClosing.Addition(
                metric: place.metric, cell: CellIndex(place.cell), periodStart: place.periodStart,
                identifiers: identifiers)
        }
        var closings: [WindowClosing] = []
        for first in stride(from: 0, to: max(additions.count, 1), by: largest) {
            let end = min(first + largest, additions.count)
            position = position.next
            closings.append(
                WindowClosing(
                    position: position, window: ended.id, additions: Array(additions[first..<end]),
                    hasMore: end < additions.count))
        }
        closing[ended.id] = position
        addDeltas(of: closings)
        freezeIfLarge(through: position)
        return closings
    }

    /// Forgets an identifier's progress in a window's metrics that count identifiers. Its earlier counts stay.
    ///
    /// - Returns: a record to journal before anything else is counted; nil if there is nothing to forget.
    package mutating func withdraw(_ identifier: KeyedIdentifier, from id: WindowID, now: UnixSeconds) -> Withdrawal? {
        guard id.over > now, closing[id] == nil, windows.contains(id) else { return nil }
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        defer { windows.putBack(window, at: place) }
        guard window.forgetProgress(of: identifier, in: space) else { return nil }
        position = position.next
        window.lastPosition = position
        return Withdrawal(position: position, window: id, identifier: identifier)
    }

    mutating func replay(_ withdrawal: Withdrawal) {
        position = max(position, withdrawal.position)
        guard windows.contains(withdrawal.window) else { return }
        let place = windows.place(of: withdrawal.window)
        var window = windows.takeOut(place)
        window.forgetProgressLater(of: withdrawal.identifier, in: space, at: withdrawal.position)
        window.lastPosition = withdrawal.position
        windows.putBack(window, at: place)
    }

    /// Closes all windows that are over: see ``takeEnded(now:)`` and ``close(_:largest:now:)``.
    package mutating func takeClosings(now: UnixSeconds) -> [WindowClosing] {
        takeEnded(now: now).flatMap { close($0.tallied(), now: now) }
    }

    /// Replays the closing of a window: its identifiers are not needed any more.
    mutating func replay(_ record: WindowClosing) {
        position = max(position, record.position)
        if let last = parts.last, last.window != record.window || last.position.next != record.position { parts = [] }
        guard !record.hasMore else { return parts.append(record) }
        let closing = WindowClosing(
            position: record.position, window: record.window, additions: parts.flatMap(\.additions) + record.additions)
        parts = []
        _ = windows.remove { id, _ in id == closing.window }
        self.closing[closing.window] = closing.position
        replayDeltas(of: CollectionOfOne(closing))
    }
}
