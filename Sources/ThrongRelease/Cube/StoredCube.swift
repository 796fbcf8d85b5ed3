package import ThrongPlan

/// The raw counters of one metric and period, which only the release step may look at.
package struct StoredCube: Sendable, Hashable {
    package let layout: MetricLayout
    package let period: Period
    /// Counts and sums of the leaf cells that were ever touched.
    package let counters: [StoredCounter]
    /// Distinct identifiers of the tracked cells, a window each.
    package let distinct: [StoredDistinct]

    package init(
        layout: MetricLayout, period: Period, counters: [StoredCounter], distinct: [StoredDistinct]
    ) {
        self.layout = layout
        self.period = period
        self.counters = counters
        // Devices of one window add up. Where others took it over under way they count in a second one; what that proves beyond the
        // first is given up.
        self.distinct =
            layout.window(of: period) == nil ? distinct : distinct.filter { $0.window.takenOver == 0 }
    }
}

/// One counter of one leaf cell.
package struct StoredCounter: Sendable, Hashable {
    package let measure: MeasureIndex
    package let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    package let value: Int64

    package init(measure: MeasureIndex, cell: CellIndex, value: Int64) {
        self.measure = measure
        self.cell = cell
        self.value = value
    }
}

/// The distinct identifiers of one tracked cell in one window.
package struct StoredDistinct: Sendable, Hashable {
    package let margin: Margin
    package let cell: CellIndex
    package let window: WindowNumber
    /// Unit: identifiers.
    package let devices: Int64

    package init(margin: Margin, cell: CellIndex, window: WindowNumber, devices: Int64) {
        self.margin = margin
        self.cell = cell
        self.window = window
        self.devices = devices
    }
}
