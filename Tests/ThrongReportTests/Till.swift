import ThrongPlan
@_spi(Ledger) import ThrongRelease
import ThrongReport

/// A shop that counts how far visitors come and how often they look at something.
struct Till {
    static let yaml = """
        app: {name: till, title: Till, owner: Team, contact: a@example.com, audience: 100000}
        purposes:
          product: {explanation: To sell better., consent: not_required, rotation: 15 minutes, retention: 400 days}
        dimensions:
          os: {title: System, field: os, list: [iOS, Android], partitions: devices}
        metrics:
          way:
            {title: Way, events: [cart, address, bought], question: How far do they come?, decision: What to mend.,
            owner: Team, expires: 2027-10-31, purpose: product, dimensions: [os], period: week,
            margins: [[os], [step], [os, step]],
            measures: {funnel: {steps: [{title: Cart, event: cart}, {title: Address, event: address},
            {title: Paid, event: bought}]}}}
          often:
            {title: How often, events: [looked], question: How often do they look?, decision: What to show.,
            owner: Team, expires: 2027-10-31, purpose: product, period: week,
            measures: {frequency: {bands: [1, 2, 5], name: looks}}}
        insights:
          way: {title: From the cart to the till, metric: way, kind: funnel}
          way_by_system: {title: The same by system, metric: way, kind: funnel, by: [os]}
          often: {title: How often visitors look, metric: often, kind: frequency}
        partners:
          bank: {title: Bank, contact: p@example.com}
        reports:
          weekly_till:
            title: The week at the till
            partner: bank
            period: week
            insights: [way, way_by_system, often]
        """

    var yaml = Till.yaml
    /// Devices whose furthest step it is; nil is withheld. By system, then all.
    var way: [[Int64?]] = [[400, 200, 300], [429, 200, nil], [829, 400, 375]]
    /// All who had a cart; nil is withheld.
    var whole: Int64? = 1604
    /// The same by system.
    var wholes: [Int64?] = [nil, nil]

    private static let period = PeriodCalendar.utc.period(.week, containing: UnixSeconds(1_795_255_200))

    var document: ReportDocument {
        get throws {
            let plan = try Plan(yaml: yaml, file: "till.yaml", today: CalendarDate(daysSince1970: 20_777))
            func release(_ name: MetricName, _ rows: (MetricLayout) -> [Release.Row]) throws -> Release {
                guard let metric = plan.metric(name) else { throw Missing() }
                let layout = try plan.layout(of: metric, rules: .system)
                return try Release(
                    decayed: ReleaseHeader(plan: plan, metric: metric, layout: layout, period: Self.period)
                        .drawn(within: 15),
                    dropped: [], cells: rows(layout))
            }
            func row(_ margin: Margin, _ cell: CellIndex, _ count: Int64) -> Release.Row {
                Release.Row(margin: margin, cell: cell, count: count, sums: [], reach: nil)
            }
            let releases = [
                try release("way") { layout in
                    way.enumerated().flatMap { system, steps in
                        steps.enumerated().compactMap { step, devices in
                            let margin = Margin(bits: system == 2 ? 2 : 3)
                            let cell = layout.cell(buckets: system == 2 ? [step] : [system, step], in: margin)
                            return devices.map { row(margin, cell, $0) }
                        }
                    } + [whole.map { row(.total, CellIndex(0), $0) }].compactMap { $0 }
                        + wholes.enumerated().compactMap { system, devices in
                            devices.map { row(Margin(bits: 1), CellIndex(UInt32(system)), $0) }
                        }
                },
                try release("often") { _ in
                    [
                        row(.total, CellIndex(0), 1000), row(Margin(bits: 1), CellIndex(0), 700),
                        row(Margin(bits: 1), CellIndex(1), 250),
                    ]
                },
            ]
            return ReportDocument(plan: plan, report: plan.reports[0], period: Self.period, releases: releases)
        }
    }

    /// What the plan above should have.
    struct Missing: Error {}
}
