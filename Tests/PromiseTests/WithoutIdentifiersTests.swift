import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Promise 1: of a purpose without identifiers nothing depends on who sends")
struct WithoutIdentifiersTests {
    private static let yaml = House.shop.replacing(
        "purposes:",
        with: """
            purposes:
              tally:
                explanation: To count.
                consent: not_required
                identifier: none
                retention: 400 days
            """
    ).replacing(
        "metrics:",
        with: """
            metrics:
              taps:
                title: Taps
                events: [tap]
                question: How many?
                decision: None.
                owner: Team
                expires: 2027-10-31
                purpose: tally
                dimensions: [os, category]
                period: day
                measures:
                  sums:
                    spent: {field: spent, from: 0, to: 100, decimals: 2, unit: EUR}
                contribution_bound: 5
            """)

    private static func body(_ events: String, id: BatchID = .random(), more: String = "") -> String {
        """
        {"app":"shop","batch":"\(id)","purpose":"tally","window":\(House.noon.value / 3600)\(more),"events":[\(events)]}
        """
    }
    private static func tap(_ os: String, spent: Int = 1, count: Int = 1) -> String {
        House.event("tap", fields: #"{"os":"\#(os)","category":"cake","spent":\#(spent)}"#, count: count)
    }

    /// What counting a body came to: what the journal gets.
    private static func record(_ body: String, in house: inout House, key: WindowKey) throws -> CountedBatch? {
        var copy = body
        let intake = house.intake
        let outcome = try copy.withUTF8 { try intake.read($0, signals: [], now: House.noon) }
        guard case .batch(let incoming) = outcome else { return nil }
        let counted = house.counting.count(
            incoming.bucketed, identifier: incoming.identifier.keyed(with: key), now: House.noon)
        guard case .counted(let record) = counted else { return nil }
        return record
    }

    @Test("an identifier is refused, and so is a batch of another purpose without one: which is the control")
    func identifiers() throws {
        var house = try House(Self.yaml)
        #expect(throws: IntakeError.identifierUnwanted) {
            try house.post(Self.body(Self.tap("ios"), more: #","id":"a""#))
        }
        #expect(IntakeError.identifierUnwanted.pointer == "/id")
        let rotating = House.batch(device: "a", events: House.event("view", fields: #"{"paid":1}"#))
        #expect(throws: IntakeError.wrongShape(pointer: "/id", expected: "a string")) {
            try house.post(rotating.replacing(#""id":"a","#, with: ""))
        }
        #expect(try house.post(rotating).accepted == 1)
        #expect(try house.post(Self.body(Self.tap("ios"))).accepted == 1)
    }

    @Test("a thousand who send one each and one who sends a thousand leave the same records, deltas and memory")
    func twoWorlds() throws {
        func world(purpose: String, senders: Int) throws -> (records: [String], flush: [String]) {
            var house = try House(Self.yaml)
            var records: [String] = []
            // Keys are random, so that what depends on one would differ between the worlds.
            let key = WindowKey.random()
            for number in 0..<1000 {
                let name = BatchID(high: 7, low: UInt64(number))
                let os = number % 3 == 0 ? "android" : "ios"
                let body =
                    purpose == "tally"
                    ? Self.body(Self.tap(os, spent: number % 7, count: 1 + number % 4), id: name)
                    : House.batch(
                        device: "d\(number % senders)", id: name,
                        events: House.event("view", fields: #"{"os":"ios","category":"cake","paid":1}"#))
                let record = try #require(try Self.record(body, in: &house, key: key))
                records.append(
                    """
                    \(record.identifier) \(record.answer) \(record.additions) \(record.appearances) \(record.advances)
                    """)
            }
            let frozen = house.counting.freeze()
            let flush = try #require(frozen)
            return (records, ["\(flush.counters)", "\(flush.distinct)"])
        }
        let many = try world(purpose: "tally", senders: 1000)
        let one = try world(purpose: "tally", senders: 1)
        #expect(many == one)
        #expect(many.flush[1] == "[]", "no distinct counts")
        #expect(many.records.allSatisfy { $0.contains("high: 0, low: 0") })
        // With identifiers the two differ in all of it.
        let manyKnown = try world(purpose: "product", senders: 1000)
        let oneKnown = try world(purpose: "product", senders: 1)
        #expect(manyKnown.records != oneKnown.records)
        #expect(zip(manyKnown.flush, oneKnown.flush).allSatisfy { $0 != $1 })
    }

    @Test("an event counts up to the bound by itself, and whoever sent before makes no difference")
    func bound() throws {
        var house = try House(Self.yaml)
        for _ in 0..<30 { #expect(try house.post(Self.body(Self.tap("ios", spent: 2, count: 9))).accepted == 1) }
        house.flush()
        // Thirty events of five, with 2.00 each.
        #expect(house.stored.values.sorted() == [150, 30_000])
    }

    @Test("a batch that comes again counts once, also after a replay of what was recorded; its name is all that tells")
    func exactlyOnce() throws {
        var house = try House(Self.yaml)
        let key = WindowKey.random()
        let body = Self.body("\(Self.tap("ios")),\(Self.tap("android")),\(House.event("nothing"))")
        let record = try #require(try Self.record(body, in: &house, key: key))
        #expect(try Self.record(body, in: &house, key: key) == nil, "it is known")
        #expect(try Self.record(Self.body(Self.tap("ios")), in: &house, key: key) != nil, "another one is counted")

        var later = try House(Self.yaml)
        later.counting.replay(record, now: House.noon)
        later.counting.reach(record.position)
        #expect(try later.post(body) == record.answer)
        later.flush()
        #expect(later.stored.values.sorted() == [1, 1, 100, 100])
        // A name of its own would count again: nothing else is known.
        #expect(try later.post(Self.body("\(Self.tap("ios")),\(Self.tap("android"))")).accepted == 2)
    }

    @Test(
        "a batch of another hour than this one and its neighbours is refused: nobody would know it again",
        arguments: [-2, 2])
    func horizon(hours: Int64) throws {
        var house = try House(Self.yaml)
        let body = Self.body(Self.tap("ios")).replacing(
            "\(House.noon.value / 3600)", with: "\(House.noon.value / 3600 + hours)")
        #expect(throws: IntakeError.windowOutOfRange(current: House.noon.value / 3600)) { try house.post(body) }
    }

    @Test("to be taken back, an event would have to be told apart: the request is refused, also without an identifier")
    func withdrawal() throws {
        let intake = try House(Self.yaml).intake
        func read(_ text: String) throws -> WindowNumber {
            var text = text
            return try text.withUTF8 { try intake.readWithdrawal($0, now: House.noon) }.window.number
        }
        let hour = House.noon.value / 3600
        for id in [#","id":"a""#, ""] {
            #expect(throws: IntakeError.nothingToTellApart) {
                try read(#"{"app":"shop","purpose":"tally","window":\#(hour)\#(id)}"#)
            }
        }
        let window = House.noon.value / 900
        #expect(
            try read(#"{"app":"shop","purpose":"product","window":\#(window),"id":"a"}"#) == WindowNumber(window))
    }
}
