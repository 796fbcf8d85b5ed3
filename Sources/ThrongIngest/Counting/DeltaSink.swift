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

/// The deltas of batches that PostgreSQL may or may not have, batch by batch, until its watermark is known.
///
/// - Cost: some 80 bytes a batch, 16 a counter that it adds to, 12 an identifier that was new in a cell.
struct UnresolvedDeltas: Sendable, DeltaSink {
    private struct Batch {
        let position: JournalPosition
        let window: WindowNumber
        /// The ends of its deltas in the arrays below.
        let counters: Int
        let distinct: Int
        let coverage: Int
        let taken: Int
        /// The end of the window that it closes; nil for a batch.
        let closes: UnixSeconds?
    }

    private struct CounterAmount {
        let slot: UInt32
        let period: UInt32
        let amount: Int64
    }

    private struct Newcomer {
        let tracked: UInt32
        let period: UInt32
        let count: Int64
    }

    private var batches: [Batch] = []
    private var counters: [CounterAmount] = []
    private var taken: [CounterAmount] = []
    private var distinct: [Newcomer] = []
    private var coverage: [CoverageDelta] = []
    private var periods = Ordinals<Int64>()
    private var closes: UnixSeconds?

    /// The place of the last record; nil if there is none.
    var last: JournalPosition? { batches.last?.position }

    /// Adds the deltas of a record, by its parts; call in the order of positions.
    mutating func append(_ parts: some BidirectionalCollection<some DeltaSource>, in space: CellSpace) {
        guard let last = parts.last else { return }
        closes = nil
        for part in parts { part.addDeltas(to: &self, in: space) }
        batches.append(
            .init(
                position: last.position, window: last.window.number, counters: counters.count,
                distinct: distinct.count, coverage: coverage.count, taken: taken.count, closes: closes))
    }

    /// Adds the deltas of batches behind a position to `pending`.
    ///
    /// - Parameter then: called after each batch.
    func add(
        after watermark: JournalPosition, to pending: inout PendingDeltas,
        then: (inout PendingDeltas, JournalPosition) -> Void
    ) {
        let first = batches.firstIndex { $0.position > watermark } ?? batches.endIndex
        for place in first..<batches.endIndex {
            let batch = batches[place]
            let before = place > 0 ? batches[place - 1] : nil
            for delta in coverage[(before?.coverage ?? 0)..<batch.coverage] { pending.coverage.add(delta) }
            for delta in counters[(before?.counters ?? 0)..<batch.counters] {
                pending.add(delta.amount, toCounter: delta.slot, periodStart: UnixSeconds(periods[Int(delta.period)]))
            }
            for one in distinct[(before?.distinct ?? 0)..<batch.distinct] {
                pending.addIdentifiers(
                    one.count, toTracked: one.tracked, periodStart: UnixSeconds(periods[Int(one.period)]),
                    window: batch.window)
            }
            for delta in taken[(before?.taken ?? 0)..<batch.taken] {
                let start = UnixSeconds(periods[Int(delta.period)])
                pending.take(delta.amount, fromCounter: delta.slot, periodStart: start)
            }
            if let over = batch.closes { pending.close(until: over) }
            then(&pending, batch.position)
        }
    }

    mutating func add(_ amount: Int64, toCounter slot: UInt32, periodStart: UnixSeconds) {
        counters.append(.init(slot: slot, period: period(periodStart), amount: amount))
    }

    mutating func take(_ amount: Int64, fromCounter slot: UInt32, periodStart: UnixSeconds) {
        taken.append(.init(slot: slot, period: period(periodStart), amount: amount))
    }

    mutating func addIdentifiers(
        _ count: Int64, toTracked slot: UInt32, periodStart: UnixSeconds, window: WindowNumber
    ) { distinct.append(.init(tracked: slot, period: period(periodStart), count: count)) }

    mutating func add(_ delta: CoverageDelta) { coverage.append(delta) }

    mutating func close(until over: UnixSeconds) { closes = over }

    private mutating func period(_ start: UnixSeconds) -> UInt32 { UInt32(periods.ordinal(of: start.value)) }
}
