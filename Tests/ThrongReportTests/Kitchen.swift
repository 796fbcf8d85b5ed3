import ThrongPlan
@_spi(Ledger) import ThrongRelease
import ThrongReport

/// An app whose devices say themselves what they were first in, when they came back, and how often.
struct Kitchen {
    static let yaml = """
        app: {name: kitchen, title: Kitchen, owner: Team, contact: a@example.com, audience: 100000}
        purposes:
          product: {explanation: To cook better., consent: not_required, rotation: 1 day, retention: 400 days}
        dimensions:
          os: {title: System, field: os, list: [iOS, Android], partitions: devices}
          week: {title: Week, field: week, list: [0, 1, 2, 3]}
          times: {title: Recipes a week, field: events, bands: [1, 2, 5]}
        metrics:
          recipes:
            {title: Recipes, events: [recipe_opened], question: How many cook?, decision: What to print., owner: Team,
            expires: 2027-10-31, purpose: product, dimensions: [os], period: day, rollups: [week],
            measures: {reach: client}}
          came_back:
            {title: Came back, events: [came_back], question: Who comes back?, decision: What to print., owner: Team,
            expires: 2027-10-31, purpose: product, dimensions: [os, week], period: week, margins: [[os], [week]],
            answered: {retention: {of: [recipe_opened], weeks: 3}}}
          how_often:
            {title: How often, events: [times_cooked], question: How often?, decision: What to print., owner: Team,
            expires: 2027-10-31, purpose: product, dimensions: [times], period: week,
            answered: {frequency: {of: [recipe_opened], per: week, bands: [1, 2, 5]}}}
        insights:
          cooks: {title: Devices that cook, metric: recipes, kind: reach}
          cooks_by_system: {title: Devices that cook by system, metric: recipes, kind: reach, by: [os]}
          share_by_system: {title: Where they cook, metric: recipes, kind: share, basis: devices, by: [os]}
          back: {title: Weeks in which they come back, metric: came_back, kind: retention}
          back_by_system: {title: Coming back by system, metric: came_back, kind: retention, by: [os]}
          often: {title: How often they cook, metric: how_often, kind: frequency}
        partners:
          printer: {title: Printer, contact: p@example.com}
        reports:
          weekly_kitchen:
            title: The week in the kitchen
            partner: printer
            period: week
            insights: [cooks, cooks_by_system, share_by_system, back, back_by_system, often]
        """

    /// Devices that came back in week 0, 1, …; nil is withheld. By system, then all.
    var back: [[Int64?]] = [[800, 240, 120, nil], [400, nil, 55, 21], [1200, 300, 175, 60]]
    /// Devices by band: <1, 1-2, 2-5, >=5, other; nil is withheld.
    var often: [Int64?] = [nil, 900, 410, 75, nil]

    let plan: Plan

    /// - Parameter sampling: of the answers who came back.
    init(sampling: Double = 1) throws {
        let answered = "answered: {retention:"
        let yaml = sampling == 1 ? Self.yaml : Self.yaml.replacing(answered, with: "sampling: \(sampling), \(answered)")
        plan = try Plan(yaml: yaml, file: "kitchen.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    static let period = PeriodCalendar.utc.period(.week, containing: UnixSeconds(1_795_255_200))

    var document: ReportDocument {
        get throws {
            ReportDocument(plan: plan, report: plan.reports[0], period: Self.period, releases: try releases)
        }
    }

    private var releases: [Release] {
        get throws {
            [
                try release("recipes") { _, layout in
                    func cell(_ margin: Margin, _ cell: UInt32, _ count: Int64, _ floor: Int64, _ firsts: Int64)
                        -> Release.Row
                    {
                        Release.Row(
                            margin: margin, cell: CellIndex(cell), count: count, sums: [],
                            reach: DeviceFloor(devices: floor), firsts: firsts)
                    }
                    return [
                        cell(.total, 0, 9000, 700, 2400), cell(Margin(bits: 1), 0, 6000, 500, 1500),
                        cell(Margin(bits: 1), 1, 3000, 200, 900),
                    ]
                },
                try release("came_back") { _, layout in
                    var rows: [Release.Row] = []
                    for (system, weeks) in back.enumerated() {
                        for (week, devices) in weeks.enumerated() {
                            guard let devices else { continue }
                            let margin = system == 2 ? Margin(bits: 2) : Margin(bits: 3)
                            let buckets = system == 2 ? [week] : [system, week]
                            rows.append(row(margin, layout.cell(buckets: buckets, in: margin), devices))
                        }
                    }
                    return rows + [row(.total, CellIndex(0), 1735)]
                },
                try release("how_often") { _, _ in
                    [row(.total, CellIndex(0), 1400)]
                        + often.enumerated().compactMap { place, devices in
                            devices.map { row(Margin(bits: 1), CellIndex(UInt32(place)), $0) }
                        }
                },
            ]
        }
    }

    private func row(_ margin: Margin, _ cell: CellIndex, _ count: Int64) -> Release.Row {
        Release.Row(margin: margin, cell: cell, count: count, sums: [], reach: nil)
    }

    private func release(_ name: MetricName, _ rows: (Metric, MetricLayout) -> [Release.Row]) throws -> Release {
        guard let metric = plan.metric(name) else { throw NoMetric() }
        let layout = try plan.layout(of: metric, rules: .system)
        return try Release(
            decayed: ReleaseHeader(plan: plan, metric: metric, layout: layout, period: Self.period).drawn(within: 15),
            dropped: [], cells: rows(metric, layout))
    }

    struct NoMetric: Error {}
}
