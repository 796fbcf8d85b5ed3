import ThrongPlan

/// A plan with two reports and a metric that ends on 30 June 2027.
enum PortalPlan {
    /// - Parameter pulse: what the first report says besides, with a comma before it.
    static func read(pulse: String = "") throws -> Plan {
        try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 30 days}
                dimensions:
                  os: {title: System, field: os, list: [iOS, Android], partitions: devices}
                metrics:
                  orders:
                    {title: Orders, events: [order], question: What?, decision: That., owner: Team,
                    expires: 2027-06-30, purpose: product, dimensions: [os], period: hour}
                insights:
                  orders: {title: Orders, metric: orders, kind: count}
                partners:
                  bank: {title: Bank, contact: b@example.com}
                reports:
                  pulse: {title: Pulse, partner: bank, insights: [orders], period: hour\(pulse)}
                  other: {title: Other, partner: bank, insights: [orders], period: hour}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }
}
