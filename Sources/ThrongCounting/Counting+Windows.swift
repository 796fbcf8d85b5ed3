public import ThrongPlan

extension Counting {
    /// Takes an identifier further in metrics that count identifiers, in the order of its batch's events.
    mutating func advance(
        _ identifier: KeyedIdentifier, by batch: BucketedBatch, in window: inout OpenWindow
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
            guard let within = space.metrics[metric].within else { continue }
            let known = ways.firstIndex { $0.metric == metric }
            let place = known ?? ways.count
            if known == nil {
                let key = identifier.hash(with: space.metrics[metric].seed, 0)
                let reached = window.progress[metric, default: WindowProgress()][key]
                ways.append(Way(metric: metric, before: reached, reached: reached, mark: mark))
            }
            let reached = within.advanced(ways[place].reached, by: mark.steps, count: mark.count)
            // The first event that counts says where.
            if ways[place].reached == 0 { ways[place].mark = mark }
            ways[place].reached = reached
        }
        return ways.compactMap { way in
            guard way.reached > way.before else { return nil }
            let advance = CountedBatch.Advance(
                metric: way.metric, cell: way.mark.cell, periodStart: way.mark.periodStart,
                progress: UInt16(way.reached - way.before))
            let key = identifier.hash(with: space.metrics[way.metric].seed, 0)
            window.progress[way.metric]?.advance(key, by: advance)
            return advance
        }
    }

    /// Learns again how far a batch took its identifier.
    func replayProgress(of record: CountedBatch, in window: inout OpenWindow) {
        for advance in record.advances {
            let key = record.identifier.hash(with: space.metrics[advance.metric].seed, 0)
            window.progress[advance.metric, default: WindowProgress()].advanceLater(key, by: advance)
        }
    }

    /// Takes windows out that are over and in which metrics that count identifiers saw any. Their keys stay, and nothing is
    /// counted in them any more; ``close(_:openPeriod:)`` each.
    ///
    /// - Parameter now: Unix seconds.
    public mutating func takeEnded(now: Int64) -> [EndedWindow] {
        windows.remove { $0.over <= now && !$1.progress.isEmpty }.sorted { $0.id < $1.id }.map { id, window in
            closing[id] = JournalPosition(.max)
            return EndedWindow(id: id, progress: window.progress, space: space)
        }
    }

    /// Closes a window that is over: from here on how far each identifier came is forgotten.
    ///
    /// - Parameter openPeriod: the start of the period of a layout that is open now; asked only for identifiers of a closed
    ///   one.
    /// - Returns: journal this before anything else is counted.
    public mutating func close(_ ended: TalliedWindow, openPeriod: (MetricLayout) -> Int64) -> WindowClosing {
        var merged: [WindowPlace: UInt32] = [:]
        for (place, identifiers) in ended.counts {
            var place = place
            // What was released never changes: as with late events, the period that is open gets them.
            if closed.contains(ClosedPeriod(layout: space.ids[place.metric], periodStart: place.periodStart)) {
                place.periodStart = openPeriod(space.layouts[place.metric])
            }
            merged[place, default: 0] += identifiers
        }
        let additions = merged.sorted { $0.key < $1.key }.map { place, identifiers in
            WindowClosing.Addition(
                metric: place.metric, cell: CellIndex(place.cell), periodStart: place.periodStart,
                identifiers: identifiers)
        }
        position = position.next
        closing[ended.id] = position
        let closing = WindowClosing(position: position, window: ended.id, additions: additions)
        addDeltas(of: closing)
        return closing
    }

    /// Closes all windows that are over at once: see ``takeEnded(now:)`` and ``close(_:openPeriod:)``.
    public mutating func takeClosings(now: Int64, openPeriod: (MetricLayout) -> Int64) -> [WindowClosing] {
        takeEnded(now: now).map { close($0.tallied(), openPeriod: openPeriod) }
    }

    /// Learns what the journal recorded of a window that was over: whom it saw is not needed any more.
    mutating func replay(_ closing: WindowClosing) {
        position = max(position, closing.position)
        _ = windows.remove { id, _ in id == closing.window }
        self.closing[closing.window] = closing.position
        if unresolved != nil {
            unresolved?.append(closing, in: space)
        } else if closing.position > flushed {
            addDeltas(of: closing)
        }
    }

    private mutating func addDeltas(of closing: WindowClosing) {
        closing.forEachDelta(
            in: space,
            counter: { slot, periodStart, identifiers in
                pending.add(identifiers, toCounter: slot, periodStart: periodStart)
            },
            tracked: { slot, periodStart, identifiers in
                pending.addIdentifiers(
                    identifiers, toTracked: slot, periodStart: periodStart, window: closing.window.number)
            })
    }
}

extension WindowClosing {
    /// What it adds to counters and to tracked cells.
    func forEachDelta(
        in space: CellSpace,
        counter: (_ slot: UInt32, _ periodStart: Int64, _ identifiers: Int64) -> Void,
        tracked: (_ slot: UInt32, _ periodStart: Int64, _ identifiers: Int64) -> Void
    ) {
        for addition in additions {
            let metric = space.metrics[addition.metric]
            let identifiers = Int64(addition.identifiers)
            counter(
                metric.firstCounter + addition.cell.value * metric.countersPerCell, addition.periodStart, identifiers)
            for margin in metric.margins {
                tracked(
                    margin.firstTracked + margin.projection(addition.cell).value, addition.periodStart, identifiers)
            }
        }
    }
}
