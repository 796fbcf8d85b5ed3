import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("A test's batch is read like any other and counts into nothing")
struct TestBatchTests {
    private static let now = UnixSeconds(1_795_176_000)

    private static func read(
        test: String, countsTests: Bool = false, purpose: String = "product", use: IntakeUse = .counting,
        signals: Set<OptOutSignal> = []
    ) throws -> IntakeOutcome {
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, threshold: 50}
                purposes:
                  product: {explanation: To see., consent: not_required, refused_by: [global_privacy_control],
                    rotation: 15 minutes, retention: 30 days}
                  agreed: {explanation: To sell., consent: required, consent_version: 2, rotation: 15 minutes,
                    retention: 30 days}
                metrics:
                  views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, period: day}
                  sales: {title: Sales, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: agreed, period: day}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        let intake = try Intake(
            plans: [plan], space: CellSpace(layouts: layouts), rules: .system, countsTests: countsTests)
        var body =
            #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"\#(purpose)","window":1994640,"#
            + #""id":"a","test":\#(test),"events":[{"event":"view","at":"2026-11-20T11:59:00Z"},"#
            + #"{"event":"veiw","at":"2026-11-20T11:59:00Z"},{"event":"view","at":"2026-11-20T11:59:00Z"}]}"#
        return try body.withUTF8 { try intake.read($0, signals: signals, now: now, use: use) }
    }

    private static func answer(_ outcome: IntakeOutcome) -> BatchAnswer? {
        if case .keptApart(let answer) = outcome { answer } else { nil }
    }

    @Test("the answer says what the plan refuses of it, why, and how many events it takes")
    func answered() throws {
        let answer = try #require(Self.answer(try Self.read(test: "true")))
        #expect(answer.accepted == 0 && answer.test == 2 && answer.refused.map(\.index) == [1])
        #expect(answer.refused[0].reason == .unknownEvent && answer.refused[0].detail?.nearest == "view")
    }

    @Test("an opt-out and an old agreement refuse it, and neither forgets anything nor adds to what is covered")
    func unwanted() throws {
        let optedOut = Self.answer(try Self.read(test: "true", signals: [.globalPrivacyControl]))
        #expect(optedOut?.refused.map(\.reason) == [.optedOut, .optedOut, .optedOut] && optedOut?.test == 0)
        let outdated = Self.answer(try Self.read(test: "true", purpose: "agreed"))
        #expect(outdated?.refused.first?.reason == .consentOutdated && outdated?.test == 0)
    }

    @Test("it counts where all numbers are made up, and says of itself that it is a test's")
    func shown() throws {
        guard case .batch(let batch) = try Self.read(test: "true", countsTests: true) else { throw Unexpected() }
        #expect(batch.isTest)
    }

    @Test("a batch that says that it is none counts, and so does one that is only looked at")
    func others() throws {
        guard case .batch(let batch) = try Self.read(test: "false") else { throw Unexpected() }
        #expect(!batch.isTest)
        guard case .batch = try Self.read(test: "true", use: .preview) else { throw Unexpected() }
    }

    @Test("only true and false say whether it is one", arguments: ["1", "null", #""true""#, "[]", "{}"])
    func shapes(text: String) throws {
        let error = #expect(throws: IntakeError.self) { try Self.read(test: text) }
        #expect(error?.pointer == "/test" && error?.code == "wrong_shape")
    }

    private struct Unexpected: Error {}
}
