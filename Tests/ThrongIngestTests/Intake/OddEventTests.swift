import Testing
import ThrongIngest
import ThrongWire

@Suite("What is wrong with one event refuses that one, and what is no JSON refuses the body")
struct OddEventTests {
    private let kiosk: Kiosk

    init() throws { kiosk = try Kiosk() }

    private static let good = Kiosk.event("view", #""channel":"email""#)

    /// An element of `events`, and where its refusal points from there on.
    private struct Odd {
        let element: String
        var pointer = ""
        var member: Int?
        var field: String?

        init(_ element: String, _ pointer: String = "", _ member: Int? = nil, _ field: String? = nil) {
            (self.element, self.pointer, self.member, self.field) = (element, pointer, member, field)
        }
    }

    private static let noObjects = ["null", "7", "true", #""view""#, "[]", "[{}]", "1e400", #""\ud83c""#].map {
        Odd($0)
    }

    private static let members = [
        Odd(Kiosk.event("view", #""channel":"sale \ud83c""#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""channel":"\udf55\ud83c""#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""channel":"\u0000""#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""user_agent":"x","ch\u0000":1"#), "/fields", 1, nil),
        Odd(Kiosk.event("view", #""channel":18446744073709551616"#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""channel":-9223372036854775809"#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""channel":1e309"#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""channel":1,"channel":1"#), "/fields", 1, "channel"),
        Odd(Kiosk.event("view", #""channel":{"a":1,"a":2}"#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", #""channel":[[[[[[[[[]]]]]]]]]"#), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", "\"channel\":\"\(String(repeating: "x", count: 2500))\""), "/fields", 0, "channel"),
        Odd(Kiosk.event("view", more: #","event":"view""#), "", 2, nil),
        Odd(Kiosk.event("view", more: #","extra":1"#), "", 2, nil),
        Odd(Kiosk.event("view", more: #","fields":[]"#), "/fields", nil, nil),
        Odd(Kiosk.event("view", more: #","firsts":null"#), "/firsts", nil, nil),
        Odd(Kiosk.event("view", more: #","count":18446744073709551616"#), "/count", nil, nil),
        Odd(Kiosk.event("view", more: #","count":0"#), "/count", nil, nil),
        Odd(Kiosk.event("view", more: #","count":1.5"#), "/count", nil, nil),
        Odd(#"{"at":"2026-11-20T11:59:00Z"}"#, "/event", nil, nil),
        Odd(#"{"event":"view"}"#, "/at", nil, nil),
    ]

    private static let times = [
        "2026-11-20T11:59:00+0100", "2026-11-20T11:59:00+01", "2026-11-20T11:59:00", "yesterday", "",
    ].map { Odd(#"{"event":"view","at":"\#($0)"}"#, "/at") }

    private static let odd = noObjects + members + times

    @Test("each odd element is refused by itself with its place, and those around it are counted", arguments: 0..<3)
    func alone(place: Int) throws {
        for each in Self.odd {
            var events = [Self.good, Self.good]
            events.insert(each.element, at: place)
            let refused = try kiosk.read(events)
            #expect(refused.map(\.index) == [place], "\(each.element.prefix(80)): \(refused)")
            let detail = try #require(refused.first?.detail)
            #expect(refused.first?.reason == .invalidValue)
            #expect(detail.pointer == "/events/\(place)\(each.pointer)", "\(each.element.prefix(80))")
            #expect(detail.member == each.member, "\(each.element.prefix(80))")
            #expect(detail.field == each.field, "\(each.element.prefix(80))")
            #expect(detail.expected?.isEmpty == false && detail.expected?.contains("\"") == false)
        }
    }

    @Test("nearly a thousand events are counted beside one of each kind")
    func crowd() throws {
        var events = Array(repeating: Self.good, count: 1000 - Self.odd.count)
        for (place, each) in Self.odd.enumerated() { events.insert(each.element, at: place * 20) }
        #expect(try kiosk.read(events).map(\.index) == Self.odd.indices.map { $0 * 20 })
    }

    @Test("an event that happened 2.0 or 1e2 times is counted like one of 2 or 100")
    func wholeCounts() throws {
        let counts = ["1.0", "2.0", "1e2", "1E+2", "10e-1"]
        #expect(try kiosk.read(counts.map { Kiosk.event("view", more: ",\"count\":\($0)") }).isEmpty)
    }

    @Test(
        "what is no JSON refuses the body, also beside what JSON allows",
        arguments: [
            #"{"event":}"#, #""\ud83c"x"#, "1e400 1", "01", "1.", "-", "+1", #""\x41""#, "nul", "{,}", "[1,]", "\"\t\"",
        ])
    func noJSON(element: String) {
        #expect(throws: IntakeError.notJSON) { try kiosk.read([Self.good, element, Self.good]) }
        #expect(throws: IntakeError.notJSON) { try kiosk.read([#""\ud83c""#, element, "1e400"]) }
    }

    @Test("whatever an element is made into, it changes nothing for the others as long as it is JSON")
    func mutations() throws {
        var generator = RandomSource(state: 17)
        let pieces = [
            #"\ud83c"#, #"\udf55"#, #"\u0000"#, "18446744073709551616", "1e999", "null", "[]", "{}", "\"at\"", ":", ",",
            "\"",
            "[", "]", "\\", "-", #""event":"view","#, "é", "T", "+0100", "x",
        ]
        var valid = 0
        for round in 0..<3000 {
            var element = Array(Self.odd[generator.next(below: Self.odd.count)].element.prefix(300).utf8)
            if round % 2 == 0 { element = Array(Self.good.utf8) }
            for _ in 0...generator.next(below: 3) {
                let place = generator.next(below: element.count + 1)
                let end = min(place + generator.next(below: 4), element.count)
                element.replaceSubrange(place..<end, with: pieces[generator.next(below: pieces.count)].utf8)
            }
            let text = String(decoding: element, as: UTF8.self)
            var grammar = JSONGrammar(Array(text.utf8))
            if grammar.isOneValue {
                valid += 1
                let good = round % 500 < 2 ? 999 : 2
                let refused = try kiosk.read(Array(repeating: Self.good, count: good) + [text])
                #expect(refused.allSatisfy { $0.index == good }, "\(text)")
            } else {
                // It may have become two elements: then both are looked at.
                var whole = JSONGrammar(Array("[0,\(text)]".utf8))
                let isJSON = whole.isOneValue
                do {
                    let refused = try kiosk.read([Self.good, text])
                    #expect(isJSON && refused.allSatisfy { $0.index > 0 }, "\(text)")
                } catch let error as IntakeError {
                    #expect(!isJSON || error.code != "not_json", "\(text): \(error)")
                }
            }
        }
        #expect(valid > 500)
    }

    @Test("what is wrong beside the events refuses the body, also with an odd event in it")
    func around() {
        let odd = Kiosk.event("view", #""channel":"\ud83c""#)
        #expect(throws: IntakeError.nul(pointer: "/context")) {
            try kiosk.read([Self.good], context: #""channel":"\u0000""#)
        }
        #expect(throws: IntakeError.duplicateKey(pointer: "/context")) {
            try kiosk.read([Self.good, odd], context: #""channel":1,"channel":2"#)
        }
        #expect(throws: IntakeError.numberOutOfRange) { try kiosk.read([odd], context: #""channel":1e400"#) }
        let half = #expect(throws: IntakeError.self) { try kiosk.read([Self.good], context: #""channel":"\ud83c""#) }
        #expect(half?.pointer == "/context" && half?.message.contains("half of a surrogate pair") == true)
    }

    @Test("an object with very many members is searched for one that repeats in little time")
    func manyMembers() throws {
        let members = (0..<40_000).map { "\"\($0)\":1" }.joined(separator: ",")
        let refused = try kiosk.read([Self.good, "{\(members),\"39999\":1}"])
        #expect(refused.map(\.index) == [1])
        #expect(refused.first?.detail?.expected == "each member once")
    }
}

/// Numbers that are the same in every run: splitmix64.
private struct RandomSource {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }
}

/// RFC 8259, section 2 to 7, and nothing else: a second opinion of what is JSON.
private struct JSONGrammar {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isOneValue: Bool {
        mutating get {
            guard value() else { return false }
            space()
            return rest.isEmpty
        }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard text.withUTF8Buffer({ rest.starts(with: $0) }) else { return false }
        rest = rest.dropFirst(text.utf8CodeUnitCount)
        return true
    }

    private mutating func space() { rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) } }

    private mutating func value() -> Bool {
        space()
        switch rest.first {
        case UInt8(ascii: "{"):
            return list("{", "}") { grammar in
                grammar.space()
                guard grammar.string() else { return false }
                grammar.space()
                return grammar.take(":") && grammar.value()
            }
        case UInt8(ascii: "["): return list("[", "]") { $0.value() }
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        case UInt8(ascii: "n"): return take("null")
        default: return number()
        }
    }

    private mutating func list(_ open: StaticString, _ close: StaticString, _ element: (inout Self) -> Bool) -> Bool {
        guard take(open) else { return false }
        space()
        if take(close) { return true }
        repeat {
            guard element(&self) else { return false }
            space()
        } while take(",")
        return take(close)
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case ..<0x20: return false
            case UInt8(ascii: "\\"):
                guard let escape = rest.popFirst() else { return false }
                if escape == UInt8(ascii: "u") {
                    guard rest.prefix(4).count == 4,
                        rest.prefix(4).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
                    else { return false }
                    rest = rest.dropFirst(4)
                } else if !"\"\\/bfnrt".utf8.contains(escape) {
                    return false
                }
            default: break
            }
        }
        return false
    }

    private mutating func digits() -> Bool {
        let count = rest.prefix { (0x30...0x39).contains($0) }.count
        rest = rest.dropFirst(count)
        return count > 0
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0"), !digits() { return false }
        if take("."), !digits() { return false }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return digits()
        }
        return true
    }
}
