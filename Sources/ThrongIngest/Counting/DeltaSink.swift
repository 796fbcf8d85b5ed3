internal import ThrongPlan

/// A place that takes what a record adds to counters: at once, or until PostgreSQL's watermark is known.
protocol DeltaSink {
    mutating func add(_ amount: Int64, toCounter slot: UInt32, periodStart: UnixSeconds)
    /// Subtracts from what PostgreSQL has of an identifier, in periods that were not released.
    mutating func take(_ amount: Int64, fromCounter slot: UInt32, periodStart: UnixSeconds)
    mutating func addIdentifiers(_ count: Int64, toTracked slot: UInt32, periodStart: UnixSeconds, window: WindowNumber)
    mutating func add(_ delta: CoverageDelta)
    /// Notes that a window that was over at `over` is complete in here.
    mutating func close(until over: UnixSeconds)
}

/// A record that changes counters.
protocol DeltaSource {
    var position: JournalPosition { get }
    var window: WindowID { get }
    func addDeltas(to sink: inout some DeltaSink, in space: CellSpace)
}

extension CountedBatch: DeltaSource {
    func addDeltas(to sink: inout some DeltaSink, in space: CellSpace) {
        forEachCoverage { sink.add($0) }
        for addition in additions {
            space.metrics[addition.metric].forEachCounter(of: addition) { slot, amount in
                sink.add(amount, toCounter: slot, periodStart: addition.periodStart)
            }
        }
        for appearance in appearances {
            sink.addIdentifiers(
                1, toTracked: space.marginPlace(of: appearance).firstTracked + appearance.cell.value,
                periodStart: appearance.periodStart, window: window.number)
        }
    }
}

extension WindowClosing: DeltaSource {
    func addDeltas(to sink: inout some DeltaSink, in space: CellSpace) {
        sink.close(until: window.over)
        for addition in additions {
            let (metric, identifiers) = (space.metrics[addition.metric], Int64(addition.identifiers))
            sink.add(
                identifiers, toCounter: metric.firstCounter + addition.cell.value * metric.countersPerCell,
                periodStart: addition.periodStart)
            for margin in metric.margins {
                sink.addIdentifiers(
                    identifiers, toTracked: margin.firstTracked + margin.projection(addition.cell).value,
                    periodStart: addition.periodStart, window: window.number)
            }
        }
    }
}

extension Removal: DeltaSource {
    func addDeltas(to sink: inout some DeltaSink, in space: CellSpace) {
        for addition in additions {
            space.metrics[addition.metric].forEachCounter(of: addition) { slot, amount in
                sink.take(amount, fromCounter: slot, periodStart: addition.periodStart)
            }
        }
        for appearance in appearances {
            sink.addIdentifiers(
                -1, toTracked: space.marginPlace(of: appearance).firstTracked + appearance.cell.value,
                periodStart: appearance.periodStart, window: window.number)
        }
        forEachCoverage { sink.add($0) }
    }
}

extension Counting {
    /// Replays what a record, in as many parts as it has, adds to counters.
    mutating func replayDeltas(of parts: some BidirectionalCollection<some DeltaSource>) {
        guard let last = parts.last else { return }
        if unresolved != nil {
            unresolved?.append(parts, in: space)
        } else if last.position > flushed {
            addDeltas(of: parts)
            freezeIfLarge(through: last.position)
        }
    }

    mutating func addDeltas(of parts: some Sequence<some DeltaSource>) {
        for part in parts { part.addDeltas(to: &pending, in: space) }
    }
}
