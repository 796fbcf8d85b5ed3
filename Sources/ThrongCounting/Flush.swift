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
    /// Behind every batch.
    package static let end = JournalPosition(.max)
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
    /// What is taken away of what earlier flushes added, negative, at most one a counter: nothing where the period was
    /// released meanwhile.
    package let taken: [CounterDelta]
    /// Deltas of distinct identifiers, at most one a tracked cell and window.
    package let distinct: [DistinctDelta]
    /// The two largest contributions where they changed, at most one a tracked cell, sum and window; no deltas.
    package let top: [TopContribution]
    /// What became of events, at most one an app, hour and kind.
    package let coverage: [CoverageDelta]
    /// When the latest of the windows was over whose closings are in it; nil where it has none.
    package let closedUntil: UnixSeconds?

    /// Puts a flush together.
    package init(
        after: JournalPosition,
        through: JournalPosition,
        layouts: [MetricLayout],
        counters: [CounterDelta],
        taken: [CounterDelta] = [],
        distinct: [DistinctDelta],
        top: [TopContribution] = [],
        coverage: [CoverageDelta] = [],
        closedUntil: UnixSeconds? = nil
    ) {
        self.after = after
        self.through = through
        self.layouts = layouts
        self.counters = counters
        self.taken = taken
        self.distinct = distinct
        self.top = top
        self.coverage = coverage
        self.closedUntil = closedUntil
    }
}

/// What is added to one counter of one leaf cell.
package struct CounterDelta: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    /// First second of the period.
    package let periodStart: UnixSeconds
    /// Which counter of the cell.
    package let measure: MeasureIndex
    /// The leaf cell.
    package let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    package let delta: Int64

    /// Puts a delta together.
    package init(layout: Int, periodStart: UnixSeconds, measure: MeasureIndex, cell: CellIndex, delta: Int64) {
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
    /// First second of the period.
    package let periodStart: UnixSeconds
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
        periodStart: UnixSeconds,
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

/// The two largest contributions to a sum of a tracked cell in one window, as a daemon knows them: how much, never whose.
///
/// A contribution is what one identifier added in the window, by all of its events together. Where a sum can be negative,
/// it is measured from the lowest value on: see `SumMeasure.contributionShift`. Not a delta: the pair replaces the one
/// that was flushed before, and gets smaller only where somebody was taken out.
package struct TopContribution: Hashable, Sendable {
    /// Place in ``Flush/layouts``.
    package let layout: Int
    /// First second of the period.
    package let periodStart: UnixSeconds
    /// The tracked margin.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// Which sum of the cell; never the count.
    package let measure: MeasureIndex
    /// The window.
    package let window: WindowNumber
    /// Unit: 10^-decimals of the sum's unit; not negative, saturated.
    package let largest: Int64
    /// 0 where one identifier was alone. Unit: as ``largest``, which it does not exceed.
    package let second: Int64
    /// Whether it replaces a larger one, too: somebody was taken out.
    package let replaces: Bool

    /// Puts a pair together.
    package init(
        layout: Int,
        periodStart: UnixSeconds,
        margin: Margin,
        cell: CellIndex,
        measure: MeasureIndex,
        window: WindowNumber,
        largest: Int64,
        second: Int64,
        replaces: Bool = false
    ) {
        self.layout = layout
        self.periodStart = periodStart
        self.margin = margin
        self.cell = cell
        self.measure = measure
        self.window = window
        self.largest = largest
        self.second = second
        self.replaces = replaces
    }

    /// The same where somebody was taken out.
    package var replacing: TopContribution {
        TopContribution(
            layout: layout, periodStart: periodStart, margin: margin, cell: cell, measure: measure, window: window,
            largest: largest, second: second, replaces: true)
    }
}
