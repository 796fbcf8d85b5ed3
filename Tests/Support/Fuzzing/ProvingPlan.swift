import ThrongAttestation
import ThrongIngest
import ThrongPlan
import ThrongWire

/// A plan with what ``FuzzPlan`` has not: identifiers and firsts that are proved, an evaluator, and a purpose that is taken sealed
/// only. Batches of it are taken at ``FuzzPlan/now``.
struct ProvingPlan: Sendable {
    /// What the plan's metrics are counted in.
    let space: CellSpace
    /// Reads bodies of it.
    let intake: Intake
    /// Of whom hashes are made.
    let evaluator: EvaluatorKey

    /// Reads the plan.
    init() throws {
        evaluator = EvaluatorSecret(seed: Array("fuzz".utf8)).publicKey
        let plan = try Plan(
            yaml: Self.yaml.replacing("EVALUATOR", with: "\(evaluator)"), file: "plan.yaml",
            today: CalendarDate(daysSince1970: 20_777))
        space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
        intake = try Intake(plans: [plan], space: space, rules: .system)
    }

    private static let yaml = """
        app:
          {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, time_zone: Europe/Vienna,
          relay: "https://relay.example.net", evaluator: {url: "https://eval.example.net", key: EVALUATOR}}
        purposes:
          proved: {explanation: To see., consent: not_required, refused_by: [global_privacy_control], floor: attested,
            rotation: 15 minutes, retention: 400 days}
          sealed: {explanation: To know., consent: not_required, refused_by: [global_privacy_control], floor: attested,
            rotation: 15 minutes, retention: 400 days, transport: oblivious}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
          kind: {title: Kind, field: kind, list: [cake, bread]}
          channel: {title: Channel, field: channel, list: {Search: [organic, paid], Email: [email]}}
          term: {title: Term, field: term, revealed: {most: 4}}
        metrics:
          finds: {title: Finds, events: [find], purpose: proved, dimensions: [os, kind, channel], rollups: [week],
            impossible: [{kind: cake, channel: Email}], measures: {reach: attested}, METRIC}
          shows: {title: Shows, events: [show], purpose: sealed, dimensions: [os, kind], rollups: [month],
            measures: {reach: attested}, METRIC}
          seeks: {title: Seeks, events: [seek], purpose: proved, dimensions: [term], measures: {reach: true}, METRIC}
        """.replacing(
            "METRIC", with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, period: day")
}
