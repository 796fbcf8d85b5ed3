package import ThrongPlan
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
    ) { distinct[key(slot, periodStart, window)] += count }

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

/// A place in a daemon's journal: the number of records it has written since its data directory was made.
///
/// The watermark in PostgreSQL is such a place: everything up to it has been added to the counters.
package struct JournalPosition: Hashable, Comparable, Sendable, Codable {
    /// Unit: records. 0 is before the first.
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    /// The place before the first record.
    package static let start = JournalPosition(0)
    /// A place behind every record.
    package static let end = JournalPosition(.max)
    package var next: JournalPosition { JournalPosition(value + 1) }
    /// Orders by time of recording.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// The deltas that PostgreSQL does not have yet, merged: everything journalled after one place, up to another.
///
/// Its work follows the number of touched cells, not of events. A flush is applied as a whole or not at all.
package struct Flush: Sendable {
    /// The watermark that PostgreSQL must hold for this flush to apply.
    package let after: JournalPosition
    /// The watermark that it leaves.
    package let through: JournalPosition
    /// The layouts that the deltas below refer to by place.
    package let layouts: [MetricLayout]
    /// Deltas of counts and clipped sums, at most one a counter.
    package let counters: [CounterDelta]
    /// Subtractions from what earlier flushes added, negative, at most one a counter. They have no effect on a period
    /// that was released meanwhile.
    package let taken: [CounterDelta]
    /// Deltas of distinct identifiers, at most one a tracked cell and window.
    package let distinct: [DistinctDelta]
    /// The increases of apps' totals, at most one an app, hour and kind.
    package let coverage: [CoverageDelta]
    /// The latest end of the windows whose closings are in it; nil if it has none.
    package let closedUntil: UnixSeconds?

    package init(
        after: JournalPosition, through: JournalPosition, layouts: [MetricLayout], counters: [CounterDelta],
        taken: [CounterDelta] = [], distinct: [DistinctDelta], coverage: [CoverageDelta] = [],
        closedUntil: UnixSeconds? = nil
    ) {
        (self.after, self.through, self.layouts, self.counters, self.taken) = (after, through, layouts, counters, taken)
        (self.distinct, self.coverage, self.closedUntil) = (distinct, coverage, closedUntil)
    }
}

/// The increase of one counter of one leaf cell.
package struct CounterDelta: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    package let periodStart: UnixSeconds
    /// The counter within the cell.
    package let measure: MeasureIndex
    /// The leaf cell.
    package let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    package let delta: Int64

    package init(layout: Int, periodStart: UnixSeconds, measure: MeasureIndex, cell: CellIndex, delta: Int64) {
        (self.layout, self.periodStart, self.measure) = (layout, periodStart, measure)
        (self.cell, self.delta) = (cell, delta)
    }
}

/// The number of identifiers that appeared in a tracked cell for the first time in a window.
package struct DistinctDelta: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    package let periodStart: UnixSeconds
    /// The tracked margin.
    package let margin: Margin
    package let cell: CellIndex
    /// The window in which they were distinct.
    package let window: WindowNumber
    /// Unit: identifiers.
    package let delta: Int64

    package init(
        layout: Int, periodStart: UnixSeconds, margin: Margin, cell: CellIndex, window: WindowNumber, delta: Int64
    ) {
        (self.layout, self.periodStart, self.margin, self.cell) = (layout, periodStart, margin, cell)
        (self.window, self.delta) = (window, delta)
    }
}

/// A batch's refusals in few bytes: runs of neighbours that were refused for one reason.
///
/// Each run is the number of events between it and the run before, its length (both LEB128), and the reason's code.
package struct PackedRefusals: Sendable, Hashable {
    /// The packed form, as it is kept.
    package let bytes: [UInt8]

    /// A number of events that no batch exceeds.
    private static let mostEvents = 1 << 24

    /// Packs refusals.
    ///
    /// - Parameter refused: the refusals by ascending index.
    package init(_ refused: [BatchAnswer.Refusal]) {
        var bytes: [UInt8] = []
        var end = 0
        var place = 0
        while place < refused.count {
            let first = refused[place]
            var next = place + 1
            while next < refused.count, refused[next].reason == first.reason,
                refused[next].index == first.index + next - place
            { next += 1 }
            Self.add(first.index &- end, to: &bytes)
            Self.add(next - place, to: &bytes)
            bytes.append(first.reason.code)
            end = first.index + next - place
            place = next
        }
        self.bytes = bytes
    }

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The refusals by index; nil if the bytes are not packed refusals.
    package var refusals: [BatchAnswer.Refusal]? {
        var refused: [BatchAnswer.Refusal] = []
        var rest = bytes[...]
        var end = 0
        while !rest.isEmpty {
            guard let gap = Self.number(from: &rest), let count = Self.number(from: &rest),
                let reason = rest.popFirst().flatMap({ RefusalReason(code: $0) })
            else { return nil }
            let first = end &+ gap
            guard first >= 0, count > 0, first <= Self.mostEvents, count <= Self.mostEvents - first else { return nil }
            end = first + count
            for index in first..<end { refused.append(.init(index: index, reason: reason)) }
        }
        return refused
    }

    /// Appends a number as LEB128.
    static func add(_ number: Int, to bytes: inout [UInt8]) { bytes.append(leb128: UInt64(bitPattern: Int64(number))) }

    /// Removes a number from the front and returns it; nil if there is none.
    static func number(from bytes: inout ArraySlice<UInt8>) -> Int? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int(Int64(bitPattern: number)) }
        }
        return nil
    }
}

extension [UInt8] {
    /// Appends a number as LEB128.
    package mutating func append(leb128 number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
