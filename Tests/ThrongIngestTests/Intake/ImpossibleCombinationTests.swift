import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("An event that says what cannot be is refused by name")
struct ImpossibleCombinationTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let plan = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, windows], partitions: devices}
          device: {title: Device, field: device, list: [phone, desktop]}
        metrics:
          views: &metric
        """

    private static func metric(_ name: String, _ events: String, _ more: String = "") -> String {
        """
          \(name):
            title: Title
            events: \(events)
            question: What?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [os, device]
            period: day
            \(more)

        """
    }

    private static func events(_ metrics: String, _ events: [(name: String, os: String, device: String)]) throws
        -> BucketedBatch
    {
        let yaml = plan.replacing("  views: &metric", with: metrics)
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        let intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
        let list = events.map {
            #"{"event":"\#($0.name)","at":"2026-11-20T11:59:00Z","fields":{"os":"\#($0.os)","device":"\#($0.device)"}}"#
        }
        var body = #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"#
        body += #""id":"a","context":{},"events":[\#(list.joined(separator: ","))]}"#
        let outcome = try body.withUTF8 { try intake.read($0, signals: [], now: now) }
        guard case .batch(let batch) = outcome else { throw OptedOut() }
        return batch.bucketed
    }

    private struct OptedOut: Error {}

    @Test("exactly the declared combinations are refused, and nothing of them is counted")
    func everyCombination() throws {
        let metric = Self.metric(
            "views", "[view]", "impossible: [{device: desktop, os: ios}, {os: windows, device: phone}]")
        let names = ["ios", "windows", "amiga"].flatMap { os in
            ["phone", "desktop", "watch"].map { (name: "view", os: os, device: $0) }
        }
        let batch = try Self.events(metric, names)
        for (event, found) in zip(names, batch.events) {
            let isImpossible =
                [event.os, event.device] == ["ios", "desktop"] || [event.os, event.device] == ["windows", "phone"]
            #expect(found.refusal == (isImpossible ? .impossibleCombination : nil), "\(event)")
            #expect(found.contributions.count == (isImpossible ? 0 : 1))
        }
        #expect(batch.contributions.count == 7)
    }

    @Test("a bucket alone may be impossible, whatever stands beside it")
    func oneBucket() throws {
        let metric = Self.metric("views", "[view]", "impossible: [{os: other}]")
        let batch = try Self.events(metric, [("view", "amiga", "phone"), ("view", "ios", "phone")])
        #expect(batch.events.map(\.refusal) == [.impossibleCombination, nil])
    }

    @Test("what is impossible in one metric is counted in none, and is possible where no metric of the event says so")
    func severalMetrics() throws {
        let metrics =
            Self.metric("views", "[view, look]")
            + Self.metric("sales", "[view, sale]", "impossible: [{os: ios, device: desktop}]")
        let batch = try Self.events(
            metrics, [("view", "ios", "desktop"), ("look", "ios", "desktop"), ("sale", "ios", "desktop")])
        #expect(batch.events.map(\.refusal) == [.impossibleCombination, nil, .impossibleCombination])
        #expect(batch.contributions.map(\.metric) == [0])
    }

    @Test("every reason has a number of its own in the journal")
    func codes() {
        #expect(RefusalReason.allCases.map(\.code) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 9, 11])
        #expect(RefusalReason.allCases.allSatisfy { RefusalReason(code: $0.code) == $0 })
    }
}
