import ThrongAudit
import ThrongNoise
import ThrongPlan
import ThrongRelease
import ThrongWire
import throng_lab

/// A notes app whose people do the same every day: those who create notes, those who find some, and either, by system.
/// k = 20.
struct AuditTown {
    let plan: Plan
    /// By system: devices that create a note each day, that find one, and that do both.
    let people: [(created: Int64, found: Int64, both: Int64)] = [
        (300, 120, 40), (260, 200, 1), (500, 90, 20), (410, 140, 90), (12, 4, 1),
    ]

    /// Reads the plan.
    init(_ yaml: String = Self.yaml()) throws {
        plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// The plan of a metric whose releases choose their bound.
    static var choosing: String {
        yaml(
            metric("created", "create").replacing("contribution_bound: 3", with: "contribution_bound: auto")
                + metric("often", "create").replacing(
                    "contribution_bound: 3, measures: {reach: true}", with: "measures: {frequency: {bands: [1, 2, 6]}}")
        ).replacing("audience: 1000", with: "audience: 1000, grace: 49 hours")
    }

    private static func metric(_ name: String, _ events: String) -> String {
        """
          \(name): {title: It, question: What?, decision: That., owner: Team, expires: 2027-10-31, period: day,
            events: [\(events)], dimensions: [os], purpose: product, contribution_bound: 3, measures: {reach: true}}

        """
    }

    private static func yaml(
        _ metrics: String = metric("created", "create") + metric("found", "find") + metric("either", "create, find")
    ) -> String {
        """
        app: {title: Notes, name: notes, owner: Team, contact: a@example.com, audience: 1000, threshold: 20}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 300 days}
        dimensions:
          os: {title: System, field: os, list: [a, b, c, d], partitions: devices}
        metrics:
        \(metrics)
        insights:
          who: {title: Who creates, metric: created, kind: reach, by: [os]}
        """
    }

    static func period(_ day: Int) -> Period {
        let monday = UnixSeconds(1_794_787_200)
        return Period(kind: .day, start: monday + Int64(day) * 86_400, end: monday + Int64(day + 1) * 86_400)
    }

    /// Devices and events by metric and system.
    func counted(_ metric: MetricName) -> [(devices: Int64, events: Int64)] {
        people.map { people in
            switch metric.text {
            case "created": return (devices: people.created, events: people.created)
            case "found": return (devices: people.found, events: people.found)
            default:
                let events = people.created + people.found
                return (devices: events - people.both, events: events)
            }
        }
    }

    /// All releases of a day by one of many secrets.
    func releases(day: Int, secret: UInt8 = 1) throws -> [Release] {
        try plan.metrics.map { metric in
            let layout = try plan.layout(of: metric, rules: .system)
            let period = Self.period(day)
            var (counters, distinct): ([StoredCounter], [StoredDistinct]) = ([], [])
            for (place, numbers) in counted(metric.name).enumerated() {
                let cell = layout.cell(buckets: [place], in: layout.leaf)
                counters.append(StoredCounter(measure: .count, cell: cell, value: numbers.events))
                for margin in layout.trackedMargins {
                    distinct.append(
                        StoredDistinct(
                            margin: margin, cell: layout.projection(from: layout.leaf, to: margin)(cell),
                            window: layout.rotation.window(at: period.start), devices: numbers.devices))
                }
            }
            let cube = StoredCube(layout: layout, period: period, counters: counters, distinct: distinct)
            let evidence = ReleaseEvidence(
                layout: layout, period: period, parts: [cube],
                origins: plan.origins(of: metric).mapValues { [$0] }, countedInLayout: plan.counted(by: metric))
            let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
            return try MarginCase(header: header, on: evidence, factors: plan.marginFactors(of: metric))
                .decide(secret: DrawSecret(bytes: Array(repeating: secret, count: 32))).release
        }
    }

    /// The input of an audit: the plan, and some days.
    func input(
        days: Range<Int> = 0..<1,
        changed: (AuditMeasure, Double, Double?) -> (value: Double, margin: Double?) = { ($1, $2) }
    ) throws -> AuditInput {
        var input = AuditInput()
        try input.learn(plan)
        for day in days { for release in try releases(day: day) { input.add(release, changed: changed) } }
        return input
    }
}

extension AuditReport {
    /// The promises that were not kept.
    var broken: Set<AuditFinding.Check> { Set(findings.map(\.check)) }
}
