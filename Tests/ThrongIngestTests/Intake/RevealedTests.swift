import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("A field of hashes takes nothing else, and counts under a label only what is known")
struct RevealedTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let window = WindowID(
        app: "shop", purpose: "product", rotation: .longest, number: WindowNumber(now.flooredQuotient(by: 86_400)))
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product:
            {explanation: To see., consent: not_required, refused_by: [do_not_track], rotation: 1 day,
            retention: 30 days}
          other: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          query: {title: Query, field: query, revealed: {most: 3}}
          page: {title: Page, field: page, list: [a, b]}
        metrics:
          searches: {title: S, events: [search], dimensions: [query], purpose: product, METRIC}
          pages: {title: P, events: [search], dimensions: [page, query], purpose: product, METRIC}
          views: {title: V, events: [view], dimensions: [page], purpose: other, METRIC}
        """.replacing(
            "METRIC", with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, period: day")

    private let intake: Intake

    init() throws {
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
    }

    private func read(_ events: String..., context: String = "{}") throws -> IncomingBatch {
        let list = events.map { #"{"event":"search","at":"2026-11-20T11:59:00Z"\#($0)}"# }.joined(separator: ",")
        var body = """
            {"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product",\
            "window":\(Self.window.number.value),"id":"a","context":\(context),"events":[\(list)]}
            """
        guard case .batch(let batch) = try body.withUTF8({ try intake.read($0, signals: [], now: Self.now) }) else {
            throw OptedOut()
        }
        return batch
    }

    private struct OptedOut: Error {}

    private static func hash(_ value: BucketLabel) -> RevealedHash {
        RevealedKey(of: "query", in: window).hash(value)
    }

    private static func field(_ value: BucketLabel) -> String { #","fields":{"query":"\#(hash(value))"}"# }

    @Test("an unknown hash is counted as other in every metric, and noted once")
    func unknown() throws {
        let batch = try read(Self.field("pie"), Self.field("tart"))
        #expect(batch.bucketed.events.map(\.refusal) == [nil, nil])
        // other is the fourth bucket of query and the third of page.
        #expect(batch.bucketed.contributions.map(\.cell.value) == [3, 11, 3, 11])
        #expect(batch.candidates.map(\.hash) == [Self.hash("pie"), Self.hash("tart")])
        #expect(batch.candidates.map(\.event) == [0, 1])
        #expect(batch.candidates.allSatisfy { $0.dimension == "query" })
    }

    @Test("the hash of a label that was learned lands in its slot, in the window that it was made for")
    func known() throws {
        intake.vocabulary.set(["pie": 1, "tart": 0], of: "query", app: "shop")
        let batch = try read(Self.field("pie"), Self.field("tart"), Self.field("cake"))
        #expect(batch.bucketed.contributions.map(\.cell.value) == [1, 9, 0, 8, 3, 11])
        #expect(batch.candidates.map(\.hash) == [Self.hash("cake")])
        let tomorrow = WindowID(
            app: "shop", purpose: "product", rotation: .longest, number: WindowNumber(Self.window.number.value + 1))
        let stale = RevealedKey(of: "query", in: tomorrow).hash("pie")
        #expect(try read(#","fields":{"query":"\#(stale)"}"#).bucketed.contributions.map(\.cell.value) == [3, 11])
    }

    @Test("what is learned or retired later counts from the next batch on")
    func change() throws {
        #expect(try read(Self.field("pie")).bucketed.contributions[0].cell.value == 3)
        intake.vocabulary.set(["pie": 2], of: "query", app: "shop")
        #expect(try read(Self.field("pie")).bucketed.contributions[0].cell.value == 2)
        intake.vocabulary.set([:], of: "query", app: "shop")
        #expect(try read(Self.field("pie")).bucketed.contributions[0].cell.value == 3)
        // A slot that the plan in force does not have any more.
        intake.vocabulary.set(["pie": 3], of: "query", app: "shop")
        #expect(try read(Self.field("pie")).candidates.count == 1)
    }

    @Test(
        "a value as it is, or anything else that is no hash, refuses the event, and nothing of it is noted",
        arguments: [#""pie""#, #""""#, "7", "1.5", "true", #""other""#, ##""(1)""##, ##""#0011""##])
    func raw(value: String) throws {
        intake.vocabulary.set(["pie": 1], of: "query", app: "shop")
        let batch = try read(#","fields":{"query":\#(value)}"#, Self.field("cake"))
        #expect(batch.bucketed.events.map(\.refusal) == [.invalidValue, nil])
        #expect(batch.bucketed.contributions.count == 2)
        #expect(batch.candidates.map(\.event) == [1])
        #expect(try read("", context: #"{"query":\#(value)}"#).bucketed.events.map(\.refusal) == [.invalidValue])
    }

    @Test("no value is other; one in the context is that of every event without its own")
    func missingAndContext() throws {
        #expect(try read("").bucketed.contributions.map(\.cell.value) == [3, 11])
        #expect(try read(#","fields":{"query":null}"#).candidates.isEmpty)
        intake.vocabulary.set(["pie": 1], of: "query", app: "shop")
        let batch = try read(
            "", "", Self.field("cake"), context: #"{"query":"\#(Self.hash("pie"))","page":"b"}"#)
        #expect(batch.bucketed.events[1].contributions == batch.bucketed.events[0].contributions)
        #expect(batch.bucketed.contributions.map(\.cell.value) == [1, 5, 3, 7])
        #expect(batch.candidates.map(\.event) == [2])
    }

    private func reveal(_ body: String, signals: Set<OptOutSignal> = []) throws(IntakeError) -> IncomingReveal? {
        var copy = body
        let result: Result<IncomingReveal?, IntakeError> = copy.withUTF8 { bytes in
            do throws(IntakeError) {
                return .success(try intake.readReveal(bytes, signals: signals, now: Self.now))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func body(
        app: String = "shop", purpose: String = "product", window: Int64 = window.number.value,
        dimension: String = "query", value: String = "\"pie\"", more: String = ""
    ) -> String {
        """
        {"app":"\(app)","purpose":"\(purpose)","window":\(window),"dimension":"\(dimension)","value":\(value)\(more)}
        """
    }

    @Test("a reveal names a window that is open and a dimension of the purpose whose values are revealed")
    func reveals() throws {
        let reveal = try #require(try reveal(Self.body()))
        #expect(reveal.window == Self.window)
        #expect(reveal.dimension == "query")
        #expect(reveal.most == 3)
        #expect(reveal.value == "pie")
        #expect(try self.reveal(Self.body(), signals: [.doNotTrack]) == nil)
        #expect(try self.reveal(Self.body(), signals: [.globalPrivacyControl]) != nil)
        #expect(throws: IntakeError.unknownApp) { try self.reveal(Self.body(app: "mall")) }
        #expect(throws: IntakeError.unknownPurpose) { try self.reveal(Self.body(purpose: "none")) }
        #expect(throws: IntakeError.windowOutOfRange(current: Self.window.number.value)) {
            try self.reveal(Self.body(window: Self.window.number.value - 2))
        }
        let dimension = IntakeError.wrongShape(
            pointer: "/dimension", expected: "a dimension of the purpose whose values are revealed")
        #expect(throws: dimension) { try self.reveal(Self.body(dimension: "page")) }
        #expect(throws: dimension) { try self.reveal(Self.body(purpose: "other")) }
        #expect(throws: IntakeError.wrongShape(pointer: "/value", expected: "a string")) {
            try self.reveal(Self.body(value: "7"))
        }
        #expect(
            throws: IntakeError.wrongShape(
                pointer: "", expected: "only app, purpose, window, dimension, value, output and key")
        ) { try self.reveal(Self.body(more: #","id":"a""#)) }
        #expect(throws: IntakeError.duplicateKey(pointer: "")) {
            try self.reveal(Self.body(more: #","value":"x""#))
        }
        #expect(throws: IntakeError.bodyTooLarge(limit: 4096)) {
            try self.reveal(Self.body(value: "\"\(String(repeating: "a", count: 4096))\""))
        }
    }
}
