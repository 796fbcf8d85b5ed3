internal import ThrongPlan

/// Deltas that PostgreSQL does not have yet, one entry per touched counter.
///
/// - Unit: events, 10^-decimals of a sum's unit, identifiers. Saturates at the bounds of `Int64` and counts it.
/// - Complexity: O(1) per addition; draining is O(touched counters · log).
struct PendingDeltas: Sendable {
    /// Key: counter slot in the upper half, period ordinal in the lower.
    private var counters = FlatTable<Int64>(initial: 0)
    /// Key: tracked slot in the upper half, period ordinal and window ordinal in the lower.
    private var distinct = FlatTable<Int64>(initial: 0)
    private var periods = Ordinals()
    private var windows = Ordinals()
    private(set) var saturations = 0

    var isEmpty: Bool { counters.count == 0 && distinct.count == 0 }
    /// Touched counters.
    var count: Int { counters.count + distinct.count }

    mutating func add(_ amount: Int64, toCounter slot: UInt32, periodStart: Int64) {
        let key = UInt64(slot) << 32 | periods.ordinal(of: periodStart)
        let (sum, overflow) = counters[key].addingReportingOverflow(amount)
        counters[key] = overflow ? (amount > 0 ? .max : .min) : sum
        if overflow { saturations += 1 }
    }

    mutating func addIdentifier(toTracked slot: UInt32, periodStart: Int64, window: WindowNumber) {
        let key = UInt64(slot) << 32 | periods.ordinal(of: periodStart) << 16 | windows.ordinal(of: window.value)
        distinct[key] += 1
    }

    /// The deltas as a flush carries them, sorted so that all daemons lock rows in one order.
    func counterDeltas(in space: CellSpace) -> [CounterDelta] {
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
                    layout: ordinal,
                    periodStart: periods[Int(key & 0xFFFF_FFFF)],
                    measure: MeasureIndex(Int16(measure)),
                    cell: CellIndex(cell),
                    delta: value))
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
            deltas.append(
                DistinctDelta(
                    layout: ordinal,
                    periodStart: periods[Int(key >> 16 & 0xFFFF)],
                    margin: margin.margin,
                    cell: CellIndex(slot - margin.firstTracked),
                    window: WindowNumber(windows[Int(key & 0xFFFF)]),
                    delta: value))
        }
        deltas.sort {
            ($0.layout, $0.periodStart, $0.margin, $0.cell, $0.window)
                < ($1.layout, $1.periodStart, $1.margin, $1.cell, $1.window)
        }
        return deltas
    }
}

/// Small numbers for the few periods and windows that are open at once.
private struct Ordinals: Sendable {
    private var values: [Int64] = []
    private var last = 0

    subscript(ordinal: Int) -> Int64 { values[ordinal] }

    /// - Precondition: fewer than 65,536 different values between two flushes; clients' times span 48 hours.
    mutating func ordinal(of value: Int64) -> UInt64 {
        if last < values.count, values[last] == value { return UInt64(last) }
        if let found = values.firstIndex(of: value) {
            last = found
        } else {
            precondition(values.count < 65_536, "more periods or windows are open than a flush can number")
            values.append(value)
            last = values.count - 1
        }
        return UInt64(last)
    }
}
