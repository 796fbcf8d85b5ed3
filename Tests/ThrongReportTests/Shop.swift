import Foundation
import ThrongRelease
import ThrongReport
import ThrongWire

@testable import ThrongPlan

/// A shop with two metrics, for every test of reports.
struct Shop {
    static let devices: [BucketLabel] = ["Phone", "Tablet", "Desktop", "Television", "other"]
    static let regions: [BucketLabel] = ["Europe", "North America", "Asia and Pacific", "Africa", "other"]
    static let bands: [BucketLabel] = ["<10", "10-20", "20-50", "50-100", "100-200", ">=200"]
    static let basketSum = SumMeasure(
        name: "basket", field: "value", lowest: 0, highest: 500, decimals: 2, unit: "EUR")
    static let window = WindowNumber(1_963_245)

    var devices = Shop.devices
    var regions = Shop.regions
    var bands = Shop.bands
    /// Events and devices by device, then region.
    var views: [[(events: Int64, devices: Int64)]] = [
        [(8412, 1903), (2764, 655), (3120, 718), (214, 61), (96, 31)],
        [(1187, 301), (402, 118), (377, 96), (11, 6), (0, 0)],
        [(4930, 1120), (1821, 402), (905, 230), (38, 14), (25, 9)],
        [(143, 44), (71, 25), (8, 3), (0, 0), (2, 1)],
        [(58, 22), (19, 8), (0, 0), (3, 2), (0, 0)],
    ]
    /// Checkouts by device, then band, each with its sum in cents.
    var checkouts: [[(events: Int64, cents: Int64, devices: Int64)]] = [
        [
            (41, 30_211, 40), (112, 168_420, 110), (268, 938_120, 260), (131, 919_407, 130), (49, 640_250, 48),
            (21, 409_870, 4),
        ],
        [(5, 4120, 5), (14, 21_377, 14), (44, 151_840, 44), (29, 203_661, 29), (9, 121_000, 9), (2, 48_000, 2)],
        [
            (22, 17_015, 22), (63, 95_590, 62), (219, 780_055, 215), (174, 1_243_781, 170), (88, 1_196_642, 86),
            (31, 910_225, 30),
        ],
        [(0, 0, 0), (1, 1500, 1), (3, 9900, 3), (2, 13_000, 2), (0, 0, 0), (0, 0, 0)],
        [(0, 0, 0), (0, 0, 0), (2, 7030, 2), (0, 0, 0), (1, 14_990, 1), (0, 0, 0)],
    ]
    var reportName: ReportName = "weekly_shop"
    var explanation = "Where people look, what they look on, and what they spend, week by week."
    var partnerTitle = "Nordlicht Outdoor"
    var insightTitle = "Product views by device"
    var unit = "EUR"
    var threshold = Threshold.standard
    var sampling = 1.0
    var floor = FloorKind.any
    /// Within what 19 of 20 numbers of events lie, and of sums: as a bound of 5 makes them.
    var margin: Int64 = 28
    static let sumMargin: Int64 = 1_375_000

    static let calendar = PeriodCalendar(timeZone: "Europe/Vienna") ?? .utc
    static let period = calendar.period(.week, containing: UnixSeconds(1_795_255_200))

    var plan: Plan {
        Plan(
            app: App(
                name: "shop", title: "Lindenmarkt", owner: "Product analytics", contact: "privacy@lindenmarkt.example",
                audience: 5000, threshold: threshold, timeZone: "Europe/Vienna", grace: .seconds(3600)),
            purposes: [
                Purpose(
                    name: "product", explanation: "Improve the shop.", needsConsent: false, refusedBy: [],
                    rotation: .standard, retention: .seconds(86_400 * 400))
            ],
            dimensions: [
                Dimension(name: "device", title: "Device", field: "ua", rule: .deviceClass, partitionsDevices: true),
                Dimension(
                    name: "region", title: "Region", field: "country", rule: .region([]), partitionsDevices: true),
            ],
            metrics: [
                metric("product_views", "Product views", ["device", "region"], sums: [], histogram: nil, reach: true),
                metric(
                    "checkouts", "Checkouts", ["device"], sums: [sum],
                    histogram: HistogramMeasure(
                        name: "basket_value", field: "value", edges: [10, 20, 50, 100, 200], unit: unit), reach: false),
            ],
            insights: insights,
            reports: [report],
            partners: [Partner(name: "nordlicht", title: partnerTitle, contact: "insights@nordlicht.example")],
            version: PlanVersion(hex: String(repeating: "5e", count: 32)))
    }

    var sum: SumMeasure {
        SumMeasure(name: "basket", field: "value", lowest: 0, highest: 500, decimals: 2, unit: unit)
    }

    var insights: [Insight] {
        [
            insight("views", "Product views", .count, explanation: "How often was a product looked at?"),
            insight("visitors", "Devices that looked at a product", .reach),
            insight(
                "phone_share", "Views on a phone",
                .share(of: .events, part: Insight.Filter(dimension: "device", bucket: devices[0])),
                explanation: "How much of the interest comes from small screens?"),
            insight("mean_basket", "Average basket by device", .mean(sum: "basket"), by: ["device"], of: "checkouts"),
            insight("views_by_device", insightTitle, .count, by: ["device"]),
            insight(
                "region_share", "Where the devices are", .share(of: .devices, part: nil), by: ["region"],
                explanation: "Each region's share of the devices that were seen."),
            insight("views_by_both", "Product views by device and region", .count, by: ["device", "region"]),
            insight(
                "phone_share_by_region", "Views on a phone, by region",
                .share(of: .events, part: Insight.Filter(dimension: "device", bucket: devices[0])), by: ["region"]),
            insight(
                "europe", "Product views in Europe", .count, by: ["device"],
                filters: [Insight.Filter(dimension: "region", bucket: regions[0])]),
            insight("basket_spread", "What a basket is worth", .distribution, of: "checkouts"),
        ]
    }

    func insight(
        _ name: InsightName, _ title: String, _ kind: Insight.Kind, by: [DimensionName] = [],
        filters: [Insight.Filter] = [], explanation: String? = nil, of metric: MetricName = "product_views",
        view: Insight.View = .table
    ) -> Insight {
        Insight(
            name: name, title: title, explanation: explanation, metric: metric, kind: kind, by: by, filters: filters,
            view: view)
    }

    private func metric(
        _ name: MetricName, _ title: String, _ dimensions: [DimensionName], sums: [SumMeasure],
        histogram: HistogramMeasure?, reach: Bool
    ) -> Metric {
        Metric(
            name: name, title: title, events: ["event"], question: "What do \(title.lowercased()) look like?",
            decision: "What to show first.", owner: "Product", expires: CalendarDate(daysSince1970: 21_000),
            purpose: "product", dimensions: dimensions, period: .week, sums: sums, histogram: histogram, reach: reach,
            contributionBound: 5, sampling: sampling, threshold: threshold, margins: [], decay: [])
    }

    var report: Report {
        Report(
            name: reportName, title: "The week in the shop", explanation: explanation, partner: "nordlicht",
            insights: insights.map(\.name), period: .week, schedule: nil, formats: [.html, .csv, .json],
            deliveries: [])
    }

    var document: ReportDocument { document(plan) }

    func document(_ plan: Plan) -> ReportDocument {
        ReportDocument(plan: plan, report: report, period: Self.period, releases: releases(plan))
    }

    func releases(_ plan: Plan) -> [Release] { [viewsRelease(plan), checkoutsRelease(plan)] }

    func viewsRelease(_ plan: Plan, in period: Period = Shop.period) -> Release {
        let layout = layout(
            "product_views", plan,
            dimensions: [
                .init(name: "device", labels: devices, partitionsDevices: true, rule: "device"),
                .init(name: "region", labels: regions, partitionsDevices: true, rule: "region"),
            ], sums: [])
        var counters: [StoredCounter] = []
        var distinct: [StoredDistinct] = []
        for (place, cell) in views.joined().enumerated() {
            let index = CellIndex(UInt32(place))
            counters.append(StoredCounter(measure: .count, cell: index, value: cell.events))
            distinct.append(
                StoredDistinct(margin: layout.leaf, cell: index, window: Self.window, devices: cell.devices))
        }
        return release(layout, plan, counters, distinct, period)
    }

    func checkoutsRelease(_ plan: Plan, in period: Period = Shop.period) -> Release {
        let layout = layout(
            "checkouts", plan,
            dimensions: [
                .init(name: "device", labels: devices, partitionsDevices: true, rule: "device"),
                .init(name: "basket_value", labels: bands, partitionsDevices: false, rule: "bands"),
            ], sums: [sum])
        var counters: [StoredCounter] = []
        var distinct: [StoredDistinct] = []
        for (place, cell) in checkouts.joined().enumerated() {
            let index = CellIndex(UInt32(place))
            counters.append(StoredCounter(measure: .count, cell: index, value: cell.events))
            counters.append(StoredCounter(measure: .sum(0), cell: index, value: cell.cents))
            distinct.append(
                StoredDistinct(margin: layout.leaf, cell: index, window: Self.window, devices: cell.devices))
        }
        for (place, row) in checkouts.enumerated() {
            distinct.append(
                StoredDistinct(
                    margin: layout.partition, cell: CellIndex(UInt32(place)), window: Self.window,
                    devices: row.map(\.devices).reduce(0, +)))
        }
        return release(layout, plan, counters, distinct, period)
    }

    private func layout(
        _ metric: MetricName, _ plan: Plan, dimensions: [MetricLayout.DimensionLayout], sums: [SumMeasure]
    ) -> MetricLayout {
        let groupings = plan.metric(metric).map { plan.groupings(of: $0) } ?? []
        return MetricLayout(
            app: "shop", metric: metric, purpose: "product", rotation: .standard, period: .week,
            timeZone: "Europe/Vienna", dimensions: dimensions, sums: sums, contributionBound: 5, groupings: groupings,
            floor: floor)
    }

    private func release(
        _ layout: MetricLayout, _ plan: Plan, _ counters: [StoredCounter], _ distinct: [StoredDistinct],
        _ period: Period
    ) -> Release {
        let metric = plan.metric(layout.metric)
        return Release(
            large: StoredCube(layout: layout, period: period, counters: counters, distinct: distinct),
            header: ReleaseHeader(
                layout: layout, period: period, plan: plan.version, threshold: threshold, sampling: sampling,
                reach: metric?.reach ?? false, groupings: metric.map { plan.groupings(of: $0) } ?? []
            ).drawn(within: margin, sums: Self.sumMargin))
    }
}
