import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("What a plan wants sealed is taken in no other way, and nothing of it counts before that is clear")
struct ObliviousOnlyTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let window = 20_777
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, RELAY}
        purposes:
          product:
            {explanation: To see., consent: not_required, refused_by: [do_not_track], rotation: 1 day,
            retention: 30 days, transport: WAY}
          other: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
          proved:
            {explanation: To see., consent: not_required, refused_by: [do_not_track], rotation: 1 day,
            retention: 30 days, floor: attested, transport: WAY}
        dimensions:
          query: {title: Query, field: query, revealed: {most: 3}}
        metrics:
          searches: {title: S, events: [search], dimensions: [query], purpose: product, METRIC}
          views: {title: V, events: [view], purpose: other, METRIC}
          finds: {title: F, events: [find], purpose: proved, measures: {reach: attested}, METRIC}
        """.replacing(
            "METRIC", with: "question: What?, decision: That., owner: Team, expires: 2027-10-31, period: day")

    private static func intake(_ way: PurposeTransport) throws -> Intake {
        let relay = way == .oblivious ? "relay: \"https://relay.example.net\"" : "threshold: 20"
        let yaml = yaml.replacing("WAY", with: way.rawValue).replacing("RELAY", with: relay)
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        return try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
    }

    private static func batch(_ purpose: String, _ event: String) -> String {
        """
        {"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"\(purpose)","window":\(window),"id":"a",\
        "events":[{"event":"\(event)","at":"2026-11-20T11:59:00Z"}]}
        """
    }

    /// Why reading refuses; nil where it does not.
    private static func refusal(
        _ body: String, _ read: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws -> IntakeError? {
        var copy = body
        do {
            try copy.withUTF8(read)
            return nil
        } catch let error as IntakeError {
            return error
        }
    }

    @Test(
        "a batch is refused that comes directly, also with an opt-out signal, and taken sealed",
        arguments: [[], [OptOutSignal.doNotTrack]])
    func batches(signals: [OptOutSignal]) throws {
        let signals = Set(signals)
        let body = Self.batch("product", "search")
        for (way, isSealed) in [
            (PurposeTransport.direct, false), (.direct, true), (.oblivious, true), (.oblivious, false),
        ] {
            let intake = try Self.intake(way)
            let wanted = way == .oblivious && !isSealed ? IntakeError.obliviousOnly : nil
            let slowly = try Self.refusal(body) {
                _ = try intake.read($0, signals: signals, now: Self.now, isSealed: isSealed)
            }
            let quickly = try Self.refusal(body) {
                _ = try intake.readQuickly($0, signals: signals, now: Self.now, isSealed: isSealed)
            }
            #expect(slowly == wanted && quickly == wanted, "\(way) \(isSealed)")
        }
    }

    @Test("other purposes of the plan are taken directly, and so is the question what would be counted")
    func others() throws {
        let intake = try Self.intake(.oblivious)
        #expect(
            try Self.refusal(Self.batch("other", "view")) { _ = try intake.read($0, signals: [], now: Self.now) } == nil
        )
        let preview = try Self.refusal(Self.batch("product", "search")) {
            _ = try intake.read($0, signals: [], now: Self.now, use: .preview)
        }
        #expect(preview == nil)
    }

    @Test("so are withdrawals and values that are said")
    func othersOfThePurpose() throws {
        let withdrawal = #"{"app":"shop","purpose":"product","window":\#(Self.window),"id":"a"}"#
        let reveal =
            #"{"app":"shop","purpose":"product","window":\#(Self.window),"dimension":"query","value":"pie"}"#
        for (way, isSealed) in [
            (PurposeTransport.direct, false), (.direct, true), (.oblivious, true), (.oblivious, false),
        ] {
            let intake = try Self.intake(way)
            let wanted = way == .oblivious && !isSealed ? IntakeError.obliviousOnly : nil
            let withdrawn = try Self.refusal(withdrawal) {
                _ = try intake.readWithdrawal($0, now: Self.now, isSealed: isSealed)
            }
            let said = try Self.refusal(reveal) {
                _ = try intake.readReveal($0, signals: [], now: Self.now, isSealed: isSealed)
            }
            #expect(withdrawn == wanted && said == wanted, "\(way) \(isSealed)")
        }
        let error = IntakeError.obliviousOnly
        #expect(error.code == "oblivious_only" && error.pointer == "/purpose" && error.message.contains("/v1/ohttp"))
    }

    @Test(
        "so are firsts that devices prove, and which ones they are is not looked at before",
        arguments: [[], [OptOutSignal.doNotTrack]])
    func firsts(signals: [OptOutSignal]) throws {
        func first(_ period: String = "day", _ cell: String = "{}") -> String {
            let day = Self.now.flooredQuotient(by: 86_400) * 86_400
            return """
                {"app":"shop","metric":"finds","period":"\(period)","start":\(day),"cell":\(cell),"proof":"AAAA"}
                """
        }
        for (way, isSealed) in [
            (PurposeTransport.direct, false), (.direct, true), (.oblivious, true), (.oblivious, false),
        ] {
            let intake = try Self.intake(way)
            let isRefused = way == .oblivious && !isSealed
            func refusal(_ body: String) throws -> IntakeError? {
                try Self.refusal(body) {
                    let read = try intake.readFirst($0, signals: Set(signals), now: Self.now, isSealed: isSealed)
                    #expect((read == nil) == !signals.isEmpty)
                }
            }
            #expect(try refusal(first()) == (isRefused ? .obliviousOnly : nil), "\(way) \(isSealed)")
            guard signals.isEmpty else { continue }
            #expect(try refusal(first("year")) == (isRefused ? .obliviousOnly : .noFirsts), "\(way) \(isSealed)")
            #expect(
                try refusal(first("day", #"{"a":"b"}"#)) == (isRefused ? .obliviousOnly : .unknownCell),
                "\(way) \(isSealed)")
        }
    }
}
