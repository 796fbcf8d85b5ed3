internal import ThrongPlan
internal import ThrongSystem

/// Deltas that PostgreSQL does not have yet, one entry per touched counter.
///
/// - Unit: events, 10^-decimals of a sum's unit, identifiers. Saturates at the bounds of `Int64` and counts that.
/// - Complexity: O(1) per addition; draining is O(touched counters · log).
struct PendingDeltas: DeltaSink, Sendable {
    /// The scope in which identifiers are distinct: the part of a window that lies in one period.
    private struct Place: Hashable {
        let periodStart: UnixSeconds
        let window: Int64
    }

    /// The additions; key: counter slot in the upper half, period ordinal in the lower.
    private var counters = FlatTable<Int64>(initial: 0)
    /// The subtractions from what PostgreSQL has: as ``counters``, negative.
    private var taken = FlatTable<Int64>(initial: 0)
    /// The distinct identifiers; key: tracked slot in the upper half, ordinal of the period and window in the lower.
    private var distinct = FlatTable<Int64>(initial: 0)
    private var periods = Ordinals<Int64>()
    private var places = Ordinals<Place>()
    private(set) var saturations = 0
    /// Totals of apps.
    var coverage = PendingCoverage()
    /// The latest end of the windows whose closings are in here; nil if there are none.
    private(set) var closedUntil: UnixSeconds?

    /// The number of touched counters.
    var count: Int { counters.count + taken.count + distinct.count }

    mutating func add(_ amount: Int64, toCounter slot: UInt32, periodStart: UnixSeconds) {
        let key = UInt64(slot) << 32 | periods.ordinal(of: periodStart.value)
        if Self.add(amount, to: &counters[key]) { saturations += 1 }
    }

    mutating func take(_ amount: Int64, fromCounter slot: UInt32, periodStart: UnixSeconds) {
        let key = UInt64(slot) << 32 | periods.ordinal(of: periodStart.value)
        if Self.add(amount == .min ? .max : -amount, to: &taken[key]) { saturations += 1 }
    }

    /// Adds with saturation; true if it saturated.
    private static func add(_ amount: Int64, to counter: inout Int64) -> Bool {
        let (sum, overflow) = counter.addingReportingOverflow(amount)
        counter = overflow ? (amount > 0 ? .max : .min) : sum
        return overflow
    }

    mutating func addIdentifiers(
        _ count: Int64, toTracked slot: UInt32, periodStart: UnixSeconds, window: WindowNumber
    ) {
        distinct[key(slot, periodStart, window)] += count
    }

    mutating func add(_ delta: CoverageDelta) { coverage.add(delta) }

    mutating func close(until over: UnixSeconds) { closedUntil = max(closedUntil ?? over, over) }

    private mutating func key(_ slot: UInt32, _ periodStart: UnixSeconds, _ window: WindowNumber) -> UInt64 {
        let ordinal = places.ordinal(of: Place(periodStart: periodStart, window: window.value))
        #if DEBUG
            if Fault.numberBeyondBounds.isOn { return UInt64(slot) << 32 | ordinal & (1 << UInt64(Fault.bits) - 1) }
        #endif
        return UInt64(slot) << 32 | ordinal
    }

    /// Returns the deltas as a flush carries them, sorted so that all daemons lock rows in one order.
    func counterDeltas(in space: CellSpace) -> [CounterDelta] { deltas(of: counters, in: space) }

    /// See ``counterDeltas(in:)``.
    func takenDeltas(in space: CellSpace) -> [CounterDelta] { deltas(of: taken, in: space) }

    private func deltas(of counters: FlatTable<Int64>, in space: CellSpace) -> [CounterDelta] {
        var deltas: [CounterDelta] = []
        deltas.reserveCapacity(counters.count)
        counters.forEach { key, value in
            guard value != 0 else { return }
            let slot = UInt32(key >> 32)
            let ordinal = space.metric(ofCounter: slot)
            let metric = space.metrics[ordinal]
            let (cell, measure) = (slot - metric.firstCounter).quotientAndRemainder(dividingBy: metric.countersPerCell)
            deltas.append(
                CounterDelta(
                    layout: ordinal, periodStart: UnixSeconds(periods[Int(key & 0xFFFF_FFFF)]),
                    measure: MeasureIndex(Int16(measure)), cell: CellIndex(cell), delta: value))
        }
        deltas.sort {
            ($0.layout, $0.periodStart, $0.cell, $0.measure) < ($1.layout, $1.periodStart, $1.cell, $1.measure)
        }
        return deltas
    }

    /// See ``counterDeltas(in:)``.
    func distinctDeltas(in space: CellSpace) -> [DistinctDelta] {
        var deltas: [DistinctDelta] = []
        deltas.reserveCapacity(distinct.count)
        distinct.forEach { key, value in
            let slot = UInt32(key >> 32)
            let ordinal = space.metric(ofTracked: slot)
            let margins = space.metrics[ordinal].margins
            guard let margin = margins.last(where: { $0.firstTracked <= slot }) else { return }
            let place = places[Int(key & 0xFFFF_FFFF)]
            deltas.append(
                DistinctDelta(
                    layout: ordinal, periodStart: place.periodStart, margin: margin.margin,
                    cell: CellIndex(slot - margin.firstTracked), window: WindowNumber(place.window), delta: value))
        }
        deltas.sort {
            ($0.layout, $0.periodStart, $0.margin, $0.cell, $0.window)
                < ($1.layout, $1.periodStart, $1.margin, $1.cell, $1.window)
        }
        return deltas
    }
}

/// The deltas that were taken out of counting to be flushed.
package struct FrozenDeltas: Sendable {
    let after: JournalPosition
    let through: JournalPosition
    let space: CellSpace
    let deltas: PendingDeltas

    /// Returns the deltas as a flush carries them, sorted so that all daemons lock rows in one order.
    ///
    /// - Complexity: O(touched counters · log).
    package func flush() -> Flush {
        Flush(
            after: after, through: through, layouts: space.layouts, counters: deltas.counterDeltas(in: space),
            taken: deltas.takenDeltas(in: space), distinct: deltas.distinctDeltas(in: space),
            coverage: deltas.coverage.deltas, closedUntil: deltas.closedUntil)
    }
}

extension Int64 {
    /// Returns the sum, or the nearest bound if it does not fit.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
