import ThrongIngest
import ThrongPlan

/// The plan that is simulated: two purposes of different rotations, cells enough that most batches have one of their own,
/// and a metric that counts identifiers when their window is over.
enum Town {
    static let text = """
        app: {name: town, title: Town, owner: Team, contact: a@example.com, audience: 100, grace: 6 hours}
        purposes:
          quick: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
          slow: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 30 days}
        dimensions:
          row: {title: Row, field: row, list: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o]}
          column: {title: Column, field: column, list: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o]}
          kind: {title: Kind, field: kind, list: [a, b], partitions: devices}
        metrics:
          quick_visits:
            title: Visits
            events: [visit]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: quick
            dimensions: [row, column]
            contribution_bound: 100000
            period: hour
          slow_visits:
            title: Visits
            events: [stay]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: slow
            dimensions: [row, column]
            contribution_bound: 100000
            measures: {sums: {paid: {field: paid, from: 0, to: 100, decimals: 0, unit: EUR}}}
            period: hour
          often:
            title: How often
            events: [visit]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: quick
            dimensions: [kind]
            measures: {frequency: {bands: [1, 2, 4]}}
            period: hour
        """
    /// The start of an hour.
    static let start = UnixSeconds(1_795_176_000)
    static let cells = 256
    static let visits: [MetricName] = ["quick_visits", "slow_visits"]
    /// The one that has a sum.
    static let paid: MetricName = "slow_visits"
    static let often: MetricName = "often"

    static let plan: Result<Plan, any Error> = Result {
        try Plan(yaml: text, file: "town.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    static func layouts(_ plan: Plan) throws -> [MetricLayout] {
        try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
    }
}
