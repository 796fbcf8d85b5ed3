internal import ThrongSystem

/// Batches of ``FuzzPlan`` as clients make them: the right members, names and types, most of them with values that count; and one
/// event in sixteen has something that does not.
package struct TypedBatches: Sendable {
    private var random: SeededGenerator
    private var number: UInt64 = 0

    package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The next body, and how many events are in it.
    package mutating func next() -> (body: [UInt8], events: Int) {
        number += 1
        let isAgreed = chance(8)
        let count = 1 + below(6)
        var text = """
            {"app":"shop","batch":"\(hex(number, 32))","purpose":"\(isAgreed ? "agreed" : "product")",\
            "window":\(FuzzPlan.window + Int64(below(3)) - 1),"id":"device \(below(6000))"
            """
        if isAgreed { text += #","consent_version":2"# }
        if chance(2) { text += ",\"context\":{\(fields(["user_agent", "screen", "language"]))}" }
        let events = (0..<count).map { _ in event(isAgreed: isAgreed) }
        text += ",\"events\":[\(events.joined(separator: ","))]}"
        return (Array(text.utf8), count)
    }

    private mutating func event(isAgreed: Bool) -> String {
        let name: String
        let allowed: [String]
        switch isAgreed ? 9 : below(5) {
        case 0: (name, allowed) = ("view", ["user_agent", "channel", "screen", "version", "language"])
        case 1: (name, allowed) = ("open", ["screen", "version", "language", "zone", "country", "url", "file"])
        case 2: (name, allowed) = ("search", ["term"])
        case 3: (name, allowed) = ("purchase", ["memory", "size", "far", "grade"])
        case 4: (name, allowed) = ("view", [])
        default: (name, allowed) = ("order", ["channel", "user_agent"])
        }
        let minutes = below(40)
        var text = #"{"event":"\#(name)","at":"2026-11-20T11:\#(minutes + 10):\#(below(50) + 10)Z""#
        var all = allowed.isEmpty ? "" : fields(allowed)
        if name == "purchase" { all += (all.isEmpty ? "" : ",") + "\"amount\":\(below(60_000)).\(below(100))" }
        if chance(16) { all = Self.oddFields[below(Self.oddFields.count)] }
        if !all.isEmpty { text += ",\"fields\":{\(all)}" }
        if chance(4) { text += ",\"count\":\(1 + below(3))" }
        return text + "}"
    }

    /// Some of the fields, each with a value that somebody might send.
    private mutating func fields(_ names: [String]) -> String {
        names.filter { _ in chance(2) }.map { name in
            let values = Self.values[name] ?? ["null"]
            return "\"\(name)\":\(values[below(values.count)])"
        }.joined(separator: ",")
    }

    private static let values: [String: [String]] = [
        "user_agent": [
            #""Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36""#,
            #""Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Version/17.4 Mobile Safari/604.1""#,
            #""Linux""#, #""""#,
        ],
        "screen": [#""390x844""#, #""1920x1080""#, "1024", #""small""#, #""wide""#],
        "channel": [#""organic""#, #""email""#, #""Email""#, #""fax""#, "7", "true", "null"],
        "version": [#""17.4""#, #""17.4.1""#, #""17.10""#, #""17""#, "17.4"],
        "language": [#""de-AT,de;q=0.9""#, #""fr""#, #""fr_FR.UTF-8""#, #""zz""#],
        "zone": [#""Europe/Vienna""#, #""Asia/Kolkata""#, "-330", "840", #""Mars/Olympus""#],
        "country": [#""AT""#, #""at""#, #""BR""#, #""XX""#],
        "url": [
            #""https://www.example.org/product/7?x=1#y""#, #""/docs/a/b""#, #""/""#, #""http://[::1]:80/x""#, #""//""#,
        ],
        "file": [#""a.tar.gz""#, #""photo.JPG""#, #""none""#, #"".profile""#],
        "term": [#""8Vd1gVxWJx0G6gY0yqWQ2w""#, #""AAAAAAAAAAAAAAAAAAAAAA""#],
        "memory": ["0.5", "8", "1e300", "-1", #""4-8""#],
        "size": ["0", "123.4", "1e-320", "99999999999", #""10""#],
        "far": ["0.05", "17", "-0.0", "1e9"],
        "grade": ["-10", "0", "10.5", "10.49999999999999999", #""10.5""#],
    ]
    private static let oddFields = [
        #""nobody":1"#, #""channel":[1]"#, #""amount":"much""#, #""user_agent":{"a":1}"#, #""term":7"#,
        #""\u0061":null"#,
    ]

    private func hex(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    private mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
