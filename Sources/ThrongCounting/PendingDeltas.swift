internal import ThrongFaults
internal import ThrongPlan

/// Deltas that PostgreSQL does not have yet, one entry per touched counter.
///
/// - Unit: events, 10^-decimals of a sum's unit, identifiers. Saturates at the bounds of `Int64` and counts it.
/// - Complexity: O(1) per addition; draining is O(touched counters · log).
struct PendingDeltas: Sendable {
    /// Where identifiers are told apart: a period, as far as a window lies in it.
    private struct Place: Hashable {
        let periodStart: UnixSeconds
        let window: Int64
    }

    /// Key: counter slot in the upper half, period ordinal in the lower.
    private var counters = FlatTable<Int64>(initial: 0)
    /// What is taken away of what PostgreSQL has: as ``counters``, negative.
    private var taken = FlatTable<Int64>(initial: 0)
    /// Key: tracked slot in the upper half, ordinal of the period and window in the lower.
    private var distinct = FlatTable<Int64>(initial: 0)
    /// Key: sum slot in the upper half, ordinal of the period and window in the lower. Not deltas: the latest pairs.
    private var top = FlatTable<TwoLargest>(initial: TwoLargest())
    /// Keys of ``top`` whose pairs are smaller than PostgreSQL's may be.
    private var replaced: Set<UInt64> = []
    private var periods = Ordinals<Int64>()
    private var places = Ordinals<Place>()
    private(set) var saturations = 0
    /// Totals of apps.
    var coverage = PendingCoverage()
    /// When the latest of the windows was over whose closings are in here; nil where there are none.
    private(set) var closedUntil: UnixSeconds?

    var isEmpty: Bool { count == 0 }
    /// Touched counters.
    var count: Int { counters.count + taken.count + distinct.count + top.count }

    mutating func add(_ amount: Int64, toCounter slot: UInt32, periodStart: UnixSeconds) {
        let key = UInt64(slot) << 32 | periods.ordinal(of: periodStart.value)
        if Self.add(amount, to: &counters[key]) { saturations += 1 }
    }

    /// Takes away what PostgreSQL has of somebody, where it has not been released.
    mutating func take(_ amount: Int64, fromCounter slot: UInt32, periodStart: UnixSeconds) {
        let key = UInt64(slot) << 32 | periods.ordinal(of: periodStart.value)
        if Self.add(amount == .min ? .max : -amount, to: &taken[key]) { saturations += 1 }
    }

    /// Saturates; says whether it did.
    private static func add(_ amount: Int64, to counter: inout Int64) -> Bool {
        let (sum, overflow) = counter.addingReportingOverflow(amount)
        counter = overflow ? (amount > 0 ? .max : .min) : sum
        return overflow
    }

    mutating func addIdentifiers(
        _ count: Int64 = 1, toTracked slot: UInt32, periodStart: UnixSeconds, window: WindowNumber
    ) {
        distinct[key(slot, periodStart, window)] += count
    }

    /// Notes that all of a window that was over then is in here.
    mutating func close(until over: UnixSeconds) { closedUntil = max(closedUntil ?? over, over) }

    mutating func set(_ pair: TwoLargest, ofSum slot: UInt32, periodStart: UnixSeconds, window: WindowNumber) {
        top[key(slot, periodStart, window)] = pair
    }

    /// Sets a pair that may be smaller than the one that PostgreSQL has.
    mutating func replace(_ pair: TwoLargest, ofSum slot: UInt32, periodStart: UnixSeconds, window: WindowNumber) {
        let key = key(slot, periodStart, window)
        top[key] = pair
        replaced.insert(key)
    }

    /// Takes out the largest contributions.
    mutating func takeTop() -> PendingDeltas {
        var taken = PendingDeltas()
        (taken.top, taken.replaced, taken.places) = (top, replaced, places)
        replaced = []
        top = FlatTable(initial: TwoLargest())
        return taken
    }

    /// A period of a metric, by its ordinal.
    struct Touched: Hashable {
        let metric: Int
        let periodStart: UnixSeconds
    }

    /// The periods that are added to, or taken from.
    func touched(in space: CellSpace) -> Set<Touched> {
        var found: Set<Touched> = []
        for counters in [counters, taken] {
            counters.forEach { key, _ in
                let start = UnixSeconds(periods[Int(key & 0xFFFF_FFFF)])
                found.insert(Touched(metric: space.metric(ofCounter: UInt32(key >> 32)), periodStart: start))
            }
        }
        return found
    }

    /// Drops the largest contributions of all other periods.
    mutating func keepTop(of touched: Set<Touched>, in space: CellSpace) {
        var kept = FlatTable<TwoLargest>(initial: TwoLargest())
        top.forEach { key, pair in
            let start = places[Int(key & 0xFFFF_FFFF)].periodStart
            guard touched.contains(Touched(metric: space.metric(ofSum: UInt32(key >> 32)), periodStart: start)) else {
                replaced.remove(key)
                return
            }
            kept[key] = pair
        }
        top = kept
    }

    private mutating func key(_ slot: UInt32, _ periodStart: UnixSeconds, _ window: WindowNumber) -> UInt64 {
        let ordinal = places.ordinal(of: Place(periodStart: periodStart, window: window.value))
        #if DEBUG
            if Fault.numberBeyondBounds.isOn { return UInt64(slot) << 32 | ordinal & (1 << UInt64(Fault.bits) - 1) }
        #endif
        return UInt64(slot) << 32 | ordinal
    }

    /// The deltas as a flush carries them, sorted so that all daemons lock rows in one order.
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
                    layout: ordinal,
                    periodStart: UnixSeconds(periods[Int(key & 0xFFFF_FFFF)]),
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
            let place = places[Int(key & 0xFFFF_FFFF)]
            deltas.append(
                DistinctDelta(
                    layout: ordinal,
                    periodStart: place.periodStart,
                    margin: margin.margin,
                    cell: CellIndex(slot - margin.firstTracked),
                    window: WindowNumber(place.window),
                    delta: value))
        }
        deltas.sort {
            ($0.layout, $0.periodStart, $0.margin, $0.cell, $0.window)
                < ($1.layout, $1.periodStart, $1.margin, $1.cell, $1.window)
        }
        return deltas
    }
    /// See ``counterDeltas(in:)``; PostgreSQL sorts these itself.
    func topContributions(in space: CellSpace) -> [TopContribution] {
        var contributions: [TopContribution] = []
        contributions.reserveCapacity(top.count)
        top.forEach { key, pair in
            let slot = UInt32(key >> 32)
            let ordinal = space.metric(ofSum: slot)
            let metric = space.metrics[ordinal]
            guard let margin = metric.margins.last(where: { $0.firstSum <= slot }) else { return }
            let place = places[Int(key & 0xFFFF_FFFF)]
            let (cell, sum) = (slot - margin.firstSum).quotientAndRemainder(dividingBy: UInt32(metric.ranked.count))
            contributions.append(
                TopContribution(
                    layout: ordinal,
                    periodStart: place.periodStart,
                    margin: margin.margin,
                    cell: CellIndex(cell),
                    measure: metric.ranked[Int(sum)],
                    window: WindowNumber(place.window),
                    largest: pair.largest,
                    second: pair.second,
                    replaces: replaced.contains(key)))
        }
        return contributions
    }
}

/// Deltas that were taken out of counting to be flushed.
package struct FrozenDeltas: Sendable {
    let after: JournalPosition
    let through: JournalPosition
    let space: CellSpace
    let deltas: PendingDeltas

    /// The deltas as a flush carries them, sorted so that all daemons lock rows in one order.
    ///
    /// - Complexity: O(touched counters · log).
    package func flush() -> Flush {
        Flush(
            after: after,
            through: through,
            layouts: space.layouts,
            counters: deltas.counterDeltas(in: space),
            taken: deltas.takenDeltas(in: space),
            distinct: deltas.distinctDeltas(in: space),
            top: deltas.topContributions(in: space),
            coverage: deltas.coverage.deltas,
            closedUntil: deltas.closedUntil)
    }
}
