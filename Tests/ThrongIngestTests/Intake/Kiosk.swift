import ThrongIngest
import ThrongPlan
import ThrongWire

/// An intake with one plan and rules for user agents of its own, which have seen none yet.
struct Kiosk {
    static let now = UnixSeconds(1_795_176_000)

    let intake: Intake

    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
        dimensions:
          os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
          device: {title: Device, field: user_agent, device_class: standard, partitions: devices}
          channel: {title: Channel, field: channel, list: [email, direct]}
          term: {title: Term, field: term, revealed: {most: 4}}
        metrics:
          views:
            {title: Views, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [os, device, channel], measures: {reach: true}}
          searches:
            {title: Searches, events: [search], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [term], measures: {reach: true}}
          sales:
            {title: Sales, events: [purchase], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, measures: {sums: {paid: {field: amount, from: 0, to: 9}}}}
        """

    init() throws {
        let rules = UserAgentRules()
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: rules) }
        intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: rules)
    }

    static func event(_ name: String, _ fields: String? = nil, more: String = "") -> String {
        #"{"event":"\#(name)","at":"2026-11-20T11:59:00Z"\#(fields.map { ",\"fields\":{\($0)}" } ?? "")\#(more)}"#
    }

    private static func body(_ events: [String], _ context: String) -> String {
        #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"id":"a","#
            + #""context":{\#(context)},"events":[\#(events.joined(separator: ","))]}"#
    }

    /// What reading a batch comes to; refusals as a client is told.
    func read(_ events: [String], context: String = "") throws -> [BatchAnswer.Refusal] {
        var body = Self.body(events, context)
        guard case .batch(let batch) = try body.withUTF8({ try intake.read($0, signals: [], now: Self.now) }) else {
            return []
        }
        let refused = batch.bucketed.events.enumerated().compactMap { index, event in
            event.refusal.map { BatchAnswer.Refusal(index: index, reason: $0) }
        }
        return batch.explained(refused)
    }

    /// Whether a batch is read at once.
    func isQuick(_ events: [String], context: String = "") throws -> Bool {
        var body = Self.body(events, context)
        return try body.withUTF8 { try intake.readQuickly($0, signals: [], now: Self.now) } != nil
    }
}
