/// One release as PostgreSQL holds it: the rows of throng.released_cell under one row of throng.release.
public struct AuditTable: Sendable, Codable, Hashable {
    /// What to call it in findings.
    public let source: String
    /// The app.
    public let app: String
    /// The metric.
    public let metric: String
    /// When.
    public let period: AuditPeriod
    /// k.
    public let threshold: Int64
    /// The dimensions of the layout in order.
    public let dimensions: [AuditPlan.Dimension]
    /// The sums of the layout in order.
    public let sums: [Sum]
    /// Whether reach is published.
    public let showsReach: Bool
    /// The margins shown: bit i stands for dimension i.
    public let margins: [UInt32]
    /// What was published.
    public let cells: [Cell]

    /// A clipped sum.
    public struct Sum: Sendable, Codable, Hashable {
        /// Its name.
        public let name: String
        /// Decimal places of its unit, 0 to 6.
        public let decimals: Int
        /// A sum.
        public init(name: String, decimals: Int) {
            self.name = name
            self.decimals = decimals
        }
    }

    /// A published cell.
    public struct Cell: Sendable, Codable, Hashable {
        /// Which dimensions are kept.
        public let margin: UInt32
        /// Mixed radix over the kept dimensions, the last one running fastest.
        public let cell: UInt32
        /// Unit: events.
        public let count: Int64
        /// One a sum. Unit: 10^-decimals of its unit.
        public let sums: [Int64]
        /// Unit: devices.
        public let reach: Int64?
        /// A cell.
        public init(margin: UInt32, cell: UInt32, count: Int64, sums: [Int64] = [], reach: Int64? = nil) {
            self.margin = margin
            self.cell = cell
            self.count = count
            self.sums = sums
            self.reach = reach
        }
    }

    /// A release.
    public init(
        source: String, app: String, metric: String, period: AuditPeriod, threshold: Int64,
        dimensions: [AuditPlan.Dimension], sums: [Sum] = [], showsReach: Bool = false, margins: [UInt32],
        cells: [Cell]
    ) {
        self.source = source
        self.app = app
        self.metric = metric
        self.period = period
        self.threshold = threshold
        self.dimensions = dimensions
        self.sums = sums
        self.showsReach = showsReach
        self.margins = margins
        self.cells = cells
    }
}
