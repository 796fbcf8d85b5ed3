@testable import ThrongPlan

extension Plan {
    /// A plan with the one metric that the tests release.
    static func sample(decay: [DecayStep], app: AppName = "shop") -> Plan {
        Plan(
            app: App(
                name: app, title: "Shop", owner: "Ada", contact: "ada@example.org", audience: 1000,
                threshold: .standard, timeZone: "UTC", grace: .seconds(3600)),
            purposes: [
                Purpose(
                    name: "product", explanation: "To make the shop better.", needsConsent: false, refusedBy: [],
                    rotation: .standard, retention: .seconds(400 * 86_400))
            ],
            dimensions: [],
            metrics: [
                Metric(
                    name: "orders", title: "Orders", events: ["order"], question: "How many?", decision: "Stock.",
                    owner: "Ada", expires: CalendarDate(daysSince1970: 21_000), purpose: "product", dimensions: [],
                    period: .day, sums: [], histogram: nil, reach: true, contributionBound: 10, sampling: 1,
                    threshold: .standard, margins: [], decay: decay)
            ],
            insights: [],
            reports: [],
            partners: [],
            version: PlanVersion(hex: "ab"))
    }
}
