import ThrongPlan
import ThrongReport

/// Long words, wide letters, large numbers, many columns, nothing published: what drawings have to have room for.
enum Extremes {
    /// Letters as wide as they come, letters that fill squares, letters from right to left, a word without a gap.
    private static let labels: [BucketLabel] = [
        "WWWWWWWWWW MMMMMMMMMM WWWWWWWWWW MMMMMMMM",
        "東京都千代田区丸の内一丁目にある大きな駅の北口を出て右に曲がったところの売り場とその隣の売り場",
        "الهواتف المحمولة التي تستخدم في الأماكن العامة والمنازل",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau", "other",
    ]

    /// By weeks ago: from a thousand to a million million views, the newest the most; every seventh too few.
    private static func shop(_ ago: Int) -> Shop {
        var shop = Shop()
        shop.devices = labels
        shop.regions = labels.reversed()
        shop.regions[0] = "Elsewhere"
        shop.insightTitle = String(repeating: "How often products are looked at on each kind of device. ", count: 4)
        let scale: Int64 = ago == 0 ? 100_000_000 : 1000 * Int64(31 - ago)
        shop.views = shop.views.map { $0.map { ($0.events * scale, ago % 7 == 3 ? 1 : $0.devices) } }
        // Bands by device: refunds, nothing at all, and too few.
        shop.checkouts = shop.checkouts.enumerated().map { device, bands in
            bands.map { band in
                switch device {
                case 0: (band.events, -band.cents * Int64(ago + 1), band.devices)
                case 1: (40, 0, 40)
                case 2: (band.events, band.cents * 1_000_000_000, band.devices)
                default: (1, 100, 1)
                }
            }
        }
        return shop
    }

    static var document: ReportDocument {
        let shop = shop(0)
        func insight(
            _ name: InsightName, _ title: String, _ kind: Insight.Kind, by: [DimensionName] = [],
            filters: [Insight.Filter] = [], of metric: MetricName = "product_views", _ view: Insight.View = .table
        ) -> Insight {
            shop.insight(name, title, kind, by: by, filters: filters, of: metric, view: view)
        }
        let none = [Insight.Filter(dimension: "device", bucket: labels[3])]
        let refunds = [Insight.Filter(dimension: "device", bucket: labels[0])]
        let course = Course(
            (0..<30).map(Self.shop),
            insights: [
                insight("million_million", shop.insightTitle, .count, by: ["device"]),
                insight("changes", "How that changed", .count, by: ["device"], .change(against: [.periodBefore])),
                insight("pairs", "The same by region", .count, by: ["device", "region"]),
                insight("top_pairs", "The first five", .count, by: ["device", "region"], .ranking(top: 5)),
                insight("thirty", "Thirty weeks", .count, .trend(periods: 30)),
                insight("thirty_by_device", "Thirty weeks by device", .reach, by: ["device"], .trend(periods: 30)),
                insight("two", "Two weeks", .reach, .trend(periods: 2)),
                insight(
                    "refunds", "What comes back", .mean(sum: "basket"), filters: refunds, of: "checkouts",
                    .trend(periods: 12)),
                insight(
                    "baskets", "Baskets from refunds to nothing", .mean(sum: "basket"), by: ["device"], of: "checkouts"),
                insight("none", "All are withheld", .count, by: ["basket_value"], filters: none, of: "checkouts"),
                insight(
                    "none_yet", "All are withheld, week by week", .count, filters: none, of: "checkouts",
                    .trend(periods: 5)),
                insight("bands", "Six bands", .distribution, of: "checkouts"),
                insight(
                    "quantiles", "Quantiles by device", .quantiles(at: [.median, Quantile(perMille: 999)]),
                    by: ["device"],
                    of: "checkouts"),
            ])
        return course.document(named: "weekly_extremes")
    }
}
