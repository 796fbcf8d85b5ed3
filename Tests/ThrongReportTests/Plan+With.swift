import ThrongRelease

@testable import ThrongPlan

extension Plan {
    /// The same plan with other insights, all of which its one report shows.
    func with(insights: [Insight], locale: Language = .english) -> Plan {
        Plan(
            app: app, purposes: purposes, dimensions: dimensions, metrics: metrics, insights: insights,
            reports: reports.map {
                Report(
                    name: $0.name, title: $0.title, explanation: $0.explanation, partner: $0.partner,
                    insights: insights.map(\.name), period: $0.period, schedule: nil, formats: $0.formats,
                    deliveries: $0.deliveries, language: locale.tag)
            },
            partners: partners, version: version)
    }
}

extension Dimension {
    /// One that is told by a rule alone.
    init(by rule: BucketingRule) {
        self.init(name: "x", title: "", field: "x", rule: rule, partitionsDevices: false)
    }
}

extension Plan {
    /// The same plan in another version.
    var former: Plan {
        Plan(
            app: app, purposes: purposes, dimensions: dimensions, metrics: metrics, insights: insights,
            reports: reports,
            partners: partners, version: PlanVersion(hex: String(repeating: "0", count: 64)))
    }
}

extension Release {
    /// A release of the same cube that shows fewer groupings.
    func showing(only groupings: [Margin], _ shop: Shop) -> Release {
        let header = ReleaseHeader(
            layout: header.layout, period: header.period, plan: header.plan, threshold: header.threshold,
            sampling: header.sampling, reach: header.reach, groupings: groupings
        ).drawn(within: shop.margin)
        let counters = shop.views.joined().enumerated().map {
            StoredCounter(measure: .count, cell: CellIndex(UInt32($0)), value: $1.events)
        }
        let distinct = shop.views.joined().enumerated().map {
            StoredDistinct(
                margin: header.layout.leaf, cell: CellIndex(UInt32($0)), window: Shop.window, devices: $1.devices)
        }
        return Release(
            large: StoredCube(layout: header.layout, period: header.period, counters: counters, distinct: distinct),
            header: header)
    }
}
