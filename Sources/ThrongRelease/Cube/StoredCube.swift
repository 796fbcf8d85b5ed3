public import ThrongPlan

/// The raw counters of one metric and one period, as PostgreSQL holds them.
///
/// Only the release step may look at it; nothing of it is printable.
public struct StoredCube: Sendable, Hashable {
    /// What the counters mean.
    public let layout: MetricLayout
    /// What they cover.
    public let period: Period
    /// Counts and sums of the leaf cells that were ever touched.
    public let counters: [StoredCounter]
    /// Distinct identifiers of the tracked cells, a window each.
    public let distinct: [StoredDistinct]
    /// The two largest contributions to each sum of the tracked cells, a window each.
    public let top: [StoredTop]

    /// Puts a cube together.
    public init(
        layout: MetricLayout,
        period: Period,
        counters: [StoredCounter],
        distinct: [StoredDistinct],
        top: [StoredTop] = []
    ) {
        self.layout = layout
        self.period = period
        self.counters = counters
        self.distinct = distinct
        self.top = top
    }
}

/// One counter of one leaf cell.
public struct StoredCounter: Sendable, Hashable {
    /// Which counter.
    public let measure: MeasureIndex
    /// Which leaf cell.
    public let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    public let value: Int64

    /// Puts a counter together.
    public init(measure: MeasureIndex, cell: CellIndex, value: Int64) {
        self.measure = measure
        self.cell = cell
        self.value = value
    }
}

/// The distinct identifiers of one tracked cell in one window.
public struct StoredDistinct: Sendable, Hashable {
    /// The tracked margin.
    public let margin: Margin
    /// The cell of that margin.
    public let cell: CellIndex
    /// The window in which they were distinct.
    public let window: WindowNumber
    /// Unit: identifiers.
    public let devices: Int64

    /// Puts a count together.
    public init(margin: Margin, cell: CellIndex, window: WindowNumber, devices: Int64) {
        self.margin = margin
        self.cell = cell
        self.window = window
        self.devices = devices
    }
}
