/// One release as PostgreSQL holds it: the rows of throng.released_cell under one row of throng.release.
package struct AuditTable: Sendable, Codable, Hashable {
    /// What to call it in findings.
    package let source: String
    /// The app.
    package let app: String
    /// The metric.
    package let metric: String
    /// When.
    package let period: AuditPeriod
    /// k.
    package let threshold: Int64
    /// The dimensions of the layout in order.
    package let dimensions: [AuditPlan.Dimension]
    /// The sums of the layout in order.
    package let sums: [Sum]
    /// Whether reach is published.
    package let showsReach: Bool
    /// The margins shown: bit i stands for dimension i.
    package let margins: [UInt32]
    /// What was published.
    package let cells: [Cell]

    /// A clipped sum.
    package struct Sum: Sendable, Codable, Hashable {
        /// Its name.
        package let name: String
        /// Decimal places of its unit, 0 to 6.
        package let decimals: Int
        /// A sum.
        package init(name: String, decimals: Int) {
            self.name = name
            self.decimals = decimals
        }
    }

    /// A published cell.
    package struct Cell: Sendable, Codable, Hashable {
        /// Which dimensions are kept.
        package let margin: UInt32
        /// Mixed radix over the kept dimensions, the last one running fastest.
        package let cell: UInt32
        /// Unit: events.
        package let count: Int64
        /// One a sum. Unit: 10^-decimals of its unit.
        package let sums: [Int64]
        /// Unit: devices.
        package let reach: Int64?
        /// A cell.
        package init(margin: UInt32, cell: UInt32, count: Int64, sums: [Int64] = [], reach: Int64? = nil) {
            self.margin = margin
            self.cell = cell
            self.count = count
            self.sums = sums
            self.reach = reach
        }
    }

    /// A release.
    package init(
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
