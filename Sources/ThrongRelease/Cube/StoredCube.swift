package import ThrongPlan

/// The raw counters of one metric and one period, as PostgreSQL holds them.
///
/// Only the release step may look at it; nothing of it is printable.
package struct StoredCube: Sendable, Hashable {
    /// What the counters mean.
    package let layout: MetricLayout
    /// What they cover.
    package let period: Period
    /// Counts and sums of the leaf cells that were ever touched.
    package let counters: [StoredCounter]
    /// Distinct identifiers of the tracked cells, a window each.
    package let distinct: [StoredDistinct]
    /// The two largest contributions to each sum of the tracked cells, a window each.
    package let top: [StoredTop]
    /// Of a cube of proved identifiers the one of all identifiers that it was made of, else none.
    let everybody: [StoredCube]

    /// Puts a cube together.
    package init(
        layout: MetricLayout,
        period: Period,
        counters: [StoredCounter],
        distinct: [StoredDistinct],
        top: [StoredTop] = []
    ) {
        // Devices of one window add up, and are protected as such. Where others took it over under way they count in a second
        // one, which would go unprotected: what it proves beyond the first is given up. That one device may have sent events in
        // both stays known: it is a window of nobody.
        let distinct =
            layout.window(of: period) == nil ? distinct : distinct.map { $0.window.takenOver == 0 ? $0 : $0.ofNobody }
        self.init(layout: layout, period: period, counters: counters, distinct: distinct, top: top, everybody: [])
    }

    init(
        layout: MetricLayout, period: Period, counters: [StoredCounter], distinct: [StoredDistinct],
        top: [StoredTop], everybody: [StoredCube]
    ) {
        self.layout = layout
        self.period = period
        self.counters = counters
        self.distinct = distinct
        self.top = top
        self.everybody = everybody
    }

    /// The leaf cells in which something happened. Of a cube of proved identifiers, also those in which only others did: that
    /// they are there is as much of a secret.
    var occupied: Set<CellIndex> {
        Set(counters.filter { $0.measure == .count && isOccupied($0) }.map(\.cell))
    }

    /// Whether a counter of events says that something happened in its cell.
    func isOccupied(_ counter: StoredCounter) -> Bool { counter.value > 0 || !everybody.isEmpty }
}

/// One counter of one leaf cell.
package struct StoredCounter: Sendable, Hashable {
    /// Which counter.
    package let measure: MeasureIndex
    /// Which leaf cell.
    package let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    package let value: Int64

    /// Puts a counter together.
    package init(measure: MeasureIndex, cell: CellIndex, value: Int64) {
        self.measure = measure
        self.cell = cell
        self.value = value
    }
}

/// The distinct identifiers of one tracked cell in one window.
package struct StoredDistinct: Sendable, Hashable {
    /// The tracked margin.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// The window in which they were distinct.
    package let window: WindowNumber
    /// Unit: identifiers.
    package let devices: Int64

    /// Puts a count together.
    package init(margin: Margin, cell: CellIndex, window: WindowNumber, devices: Int64) {
        self.margin = margin
        self.cell = cell
        self.window = window
        self.devices = devices
    }

    /// The same without any.
    fileprivate var ofNobody: Self { Self(margin: margin, cell: cell, window: window, devices: 0) }
}

/// The two largest contributions to one sum of one tracked cell in one window, over all daemons.
///
/// A contribution is what one identifier added in the window, `SumMeasure.contributionShift` per event included.
package struct StoredTop: Sendable, Hashable {
    /// The tracked margin.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// Which sum; never the count.
    package let measure: MeasureIndex
    /// The window.
    package let window: WindowNumber
    /// Unit: 10^-decimals of the sum's unit; not negative, saturated.
    package let largest: Int64
    /// 0 where there is none. Unit: as ``largest``, which it does not exceed.
    package let second: Int64

    /// Puts a pair together.
    package init(
        margin: Margin,
        cell: CellIndex,
        measure: MeasureIndex,
        window: WindowNumber,
        largest: Int64,
        second: Int64
    ) {
        self.margin = margin
        self.cell = cell
        self.measure = measure
        self.window = window
        self.largest = largest
        self.second = second
    }
}
