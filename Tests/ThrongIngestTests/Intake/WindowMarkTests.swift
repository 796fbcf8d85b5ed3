import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("An event is marked with what it is to metrics that count identifiers, in the order of a batch's events")
struct WindowMarkTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, windows], partitions: devices}
          page: {title: Page, field: path, route: [/cart, "/tea/:name"]}
          hour: {title: Hour, time: hour}
        metrics:
          looks:
            {title: Looks, events: [look, peek], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [os], measures: {frequency: {bands: [1, 3]}}}
          way:
            {title: Way, events: [look, buy], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: hour, dimensions: [os], measures: {funnel: {steps: [
            {title: Tea, event: look, where: {page: "/tea/:name"}}, {title: Cart, event: look, where: {page: /cart}},
            {title: Again, event: look, where: {page: /cart, hour: "11"}}, {title: Paid, event: buy}]}}}
          sales:
            {title: Sales, events: [buy], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, measures: {sums: {paid: {field: amount, from: 0, to: 9}}}}
        """

    private struct OptedOut: Error {}

    private static func read(_ events: [String]) throws -> BucketedBatch {
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        let intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
        var body = #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"#
        body += #""id":"a","context":{"os":"windows"},"events":[\#(events.joined(separator: ","))]}"#
        let outcome = try body.withUTF8 { try intake.read($0, signals: [], now: now) }
        guard case .batch(let batch) = outcome else { throw OptedOut() }
        return batch.bucketed
    }

    private static func event(_ name: String, _ fields: String = "", at time: String = "11:59", more: String = "")
        -> String
    {
        #"{"event":"\#(name)","at":"2026-11-20T\#(time):00Z"\#(fields.isEmpty ? "" : ",\"fields\":{\(fields)}")\#(more)}"#
    }

    /// "event metric cell steps" of each mark.
    private static func marks(_ batch: BucketedBatch) -> [String] {
        batch.marks.map { "\($0.event) \($0.metric) \($0.cell.value) \($0.steps)" }
    }

    @Test("a step is an event in the buckets that it names, and no step at all is no mark of a funnel")
    func steps() throws {
        let batch = try Self.read([
            Self.event("look", #""path":"/tea/green""#), Self.event("look", #""path":"/cart""#),
            Self.event("look", #""path":"/cart""#, at: "10:00"), Self.event("look", #""path":"/help""#),
            Self.event("buy", #""amount":5"#),
        ])
        // Cells of windows: the second system, of two bands and of four steps.
        #expect(
            Self.marks(batch) == [
                "0 0 2 0", "0 1 4 1", "1 0 2 0", "1 1 4 6", "2 0 2 0", "2 1 4 2", "3 0 2 0", "4 1 4 8",
            ])
        #expect(batch.events.map(\.refusal) == [nil, nil, nil, nil, nil])
        #expect(batch.marks[1].periodStart.value == 1_795_172_400 && batch.marks[0].periodStart.value == 1_795_132_800)
    }

    @Test("plain events that repeat are marked each time, in their places, with what they are")
    func repeats() throws {
        let batch = try Self.read([
            Self.event("peek"), Self.event("peek"), Self.event("look", #""path":"/cart""#), Self.event("peek"),
            Self.event("peek", more: #","count":3"#),
        ])
        #expect(Self.marks(batch) == ["0 0 2 0", "1 0 2 0", "2 0 2 0", "2 1 4 6", "3 0 2 0", "4 0 2 0"])
        #expect(batch.marks.map(\.count) == [1, 1, 1, 1, 1, 3])
    }

    @Test("an event that is refused leaves no mark, whichever metric refuses it")
    func refused() throws {
        let batch = try Self.read([
            Self.event("buy"), Self.event("look", #""size":1"#), Self.event("look", at: "01:00"),
            Self.event("buy", #""amount":5"#),
        ])
        #expect(batch.events.map(\.refusal) == [.invalidValue, .unknownField, nil, nil])
        #expect(batch.marks.map(\.event) == [2, 3])
    }
}
