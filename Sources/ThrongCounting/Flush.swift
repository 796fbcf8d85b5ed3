package import ThrongPlan

/// A place in a daemon's journal: how many batches it has recorded since its data directory was made.
///
/// The watermark in PostgreSQL is such a place: everything up to it has been added to the counters.
package struct JournalPosition: Hashable, Comparable, Sendable, Codable {
    /// Unit: batches. 0 is before the first.
    package let value: UInt64
    /// Wraps a place.
    package init(_ value: UInt64) { self.value = value }
    /// Before the first batch.
    package static let start = JournalPosition(0)
    /// The place of the next batch.
    package var next: JournalPosition { JournalPosition(value + 1) }
    /// Orders by time of recording.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// What PostgreSQL does not have yet, merged: everything that was journalled after one place up to another.
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
    /// Deltas of distinct identifiers, at most one a tracked cell and window.
    package let distinct: [DistinctDelta]
    /// The two largest contributions where they changed, at most one a tracked cell, sum and window; no deltas.
    package let top: [TopContribution]
    /// What became of events, at most one an app, hour and kind.
    package let coverage: [CoverageDelta]

    /// Puts a flush together.
    package init(
        after: JournalPosition,
        through: JournalPosition,
        layouts: [MetricLayout],
        counters: [CounterDelta],
        distinct: [DistinctDelta],
        top: [TopContribution] = [],
        coverage: [CoverageDelta] = []
    ) {
        self.after = after
        self.through = through
        self.layouts = layouts
        self.counters = counters
        self.distinct = distinct
        self.top = top
        self.coverage = coverage
    }
}

/// What is added to one counter of one leaf cell.
package struct CounterDelta: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    /// First second of the period. Unit: Unix seconds.
    package let periodStart: Int64
    /// Which counter of the cell.
    package let measure: MeasureIndex
    /// The leaf cell.
    package let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    package let delta: Int64

    /// Puts a delta together.
    package init(layout: Int, periodStart: Int64, measure: MeasureIndex, cell: CellIndex, delta: Int64) {
        self.layout = layout
        self.periodStart = periodStart
        self.measure = measure
        self.cell = cell
        self.delta = delta
    }
}

/// How many identifiers appeared in a tracked cell for the first time in a window.
package struct DistinctDelta: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    /// First second of the period. Unit: Unix seconds.
    package let periodStart: Int64
    /// The tracked margin.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// The window in which they were distinct.
    package let window: WindowNumber
    /// Unit: identifiers.
    package let delta: Int64

    /// Puts a delta together.
    package init(
        layout: Int,
        periodStart: Int64,
        margin: Margin,
        cell: CellIndex,
        window: WindowNumber,
        delta: Int64
    ) {
        self.layout = layout
        self.periodStart = periodStart
        self.margin = margin
        self.cell = cell
        self.window = window
        self.delta = delta
    }
}
