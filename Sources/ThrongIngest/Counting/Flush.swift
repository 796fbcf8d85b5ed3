package import ThrongPlan

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
