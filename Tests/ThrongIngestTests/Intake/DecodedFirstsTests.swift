import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("An event says which firsts it is, and only of what the plan asks")
struct DecodedFirstsTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, windows], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view, look], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day, rollups: [week], measures: {reach: client}}
          sales:
            {title: Sales, events: [sale, view], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: hour, measures: {reach: client}}
          clicks:
            {title: Clicks, events: [view], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day, measures: {reach: true}}
        """

    private static func read(_ events: [String]) throws -> BucketedBatch {
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        let intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
        var body = #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"#
        body += #""id":"a","context":{"os":"ios"},"events":[\#(events.joined(separator: ","))]}"#
        let outcome = try body.withUTF8 { try intake.read($0, signals: [], now: now) }
        guard case .batch(let batch) = outcome else { throw OptedOut() }
        return batch.bucketed
    }

    private struct OptedOut: Error {}

    private static func event(_ name: String, _ firsts: String?) -> String {
        let member = firsts.map { #","firsts":\#($0)"# } ?? ""
        return #"{"event":"\#(name)","at":"2026-11-20T11:59:00Z"\#(member)}"#
    }

    /// The firsts of each contribution of one event.
    private static func firsts(_ name: String, _ firsts: String?) throws -> [[Int]] {
        let batch = try read([event(name, firsts)])
        #expect(batch.events.map(\.refusal) == [nil])
        return batch.contributions.map { Array($0.firsts) }
    }

    @Test("each metric has its own: a bit a period and grouping, and none where the event says none")
    func read() throws {
        // views: the total and os, by day (0, 1) and by week (2, 3).
        #expect(try Self.firsts("look", #"{"views":{"day":[[],["os"]],"week":[["os"]]}}"#) == [[0, 1, 3]])
        #expect(try Self.firsts("look", #"{"views":{"week":[[]]}}"#) == [[2]])
        #expect(try Self.firsts("look", #"{"views":{"day":[["os"],["os"]]}}"#) == [[1]])
        #expect(try Self.firsts("look", #"{"views":{"day":[]}}"#) == [[]])
        #expect(try Self.firsts("look", "{}") == [[]])
        #expect(try Self.firsts("look", nil) == [[]])
        // An event of three metrics, of which one counts no firsts.
        #expect(try Self.firsts("view", #"{"sales":{"hour":[[]]},"views":{"day":[["os"]]}}"#) == [[1], [0], []])
        #expect(try Self.firsts("view", #"{"views":{"day":[[]]}}"#) == [[0], [], []])
    }

    @Test(
        "what the plan does not ask for refuses the event and nothing else",
        arguments: [
            #"{"clicks":{"day":[[]]}}"#, #"{"sales":{"hour":[[]]}}"#, #"{"nothing":{"day":[[]]}}"#,
            #"{"views":{"hour":[[]]}}"#, #"{"views":{"month":[[]]}}"#, #"{"views":{"da":[[]]}}"#,
            #"{"views":{"days":[[]]}}"#, #"{"views":{"day":[["o"]]}}"#, #"{"views":{"day":[["os","browser"]]}}"#,
            #"{"views":{"day":[[""]]}}"#, #"{"views":{"day":[[0]]}}"#, #"{"views":{"day":["os"]}}"#,
            #"{"views":{"day":[0]}}"#, #"{"views":{"day":[]},"sales":null}"#, #"{"views":{"day":{}}}"#,
            #"{"views":[[]]}"#, #"{"views":null}"#, #"{"views":{"day":[["os",[]]]}}"#, #"{"views":{"day":[null]}}"#,
        ])
    func refused(firsts: String) throws {
        let batch = try Self.read([
            Self.event("look", nil), Self.event("look", firsts), Self.event("look", #"{"views":{"day":[[]]}}"#),
        ])
        #expect(batch.events.map(\.refusal) == [nil, .invalidValue, nil])
        #expect(batch.contributions.map { Array($0.firsts) } == [[], [0]])
    }

    @Test("firsts that are no object refuse their event")
    func shape() throws {
        let batch = try Self.read([Self.event("look", "[0]"), Self.event("look", nil)])
        #expect(batch.events.map(\.refusal) == [.invalidValue, nil])
    }

    @Test("an event that is a first does not lend its firsts to plain events of the same name, nor takes theirs")
    func runs() throws {
        let first = Self.event("look", #"{"views":{"day":[[]]}}"#)
        let plain = Self.event("look", nil)
        let batch = try Self.read([plain, first, plain, first, plain])
        let runs = batch.events.map { event in
            event.contributions.map { Array(batch.contributions[Int($0)].firsts) }
        }
        #expect(runs == [[[]], [[0]], [[]], [[0]], [[]]])
        #expect(batch.repeats == [3, 1, 1])
    }
}
