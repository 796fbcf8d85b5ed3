import CSimdJSON
import Testing
import ThrongSystem
import ThrongWire

@testable import ThrongIngest

@Suite("A body is read the same whether it is plain or has an escape that asks for the longer way")
struct PlainDocumentTests {
    /// A node without the place of its text.
    private struct Node: Equatable {
        let kind, length, next, flaw: UInt32
        let value: [UInt8]
    }

    private let parser: JSONParser

    init() throws { parser = try #require(JSONParser(depth: 5, stringBytes: 40)) }

    /// The nodes of a list of a text and a document; nil if it is refused.
    private func nodes(_ first: String, _ document: [UInt8]) -> [Node]? {
        let body = Array("[\"\(first)\",".utf8) + document + [UInt8(ascii: "]")]
        return body.withUnsafeBufferPointer { bytes in
            do {
                let read = try parser.parseWithFlaws(bytes)
                return Self.nodes(read.nodes.indices, of: read)
            } catch {
                return nil
            }
        }
    }

    /// Nodes whose places count from the first.
    private static func nodes(_ places: Range<Int>, of read: JSONDocument) -> [Node] {
        places.map { place in
            let node = read.nodes[place]
            let isNumber = [THRONG_JSON_INTEGER, THRONG_JSON_NUMBER].contains(read.kind(place))
            let number = withUnsafeBytes(of: node.value.integer) { Array($0) }
            return Node(
                kind: node.kind, length: node.length, next: node.next - UInt32(places.lowerBound), flaw: node.flaw,
                value: read.isString(place) ? Array(read.bytes(place)) : isNumber ? number : [])
        }
    }

    /// An event as a batch takes it, or what is odd about it.
    private struct Event: Equatable {
        var name: [UInt8] = []
        var at = UnixSeconds.epoch
        var fields: [Node] = []
        var hasFirsts = false
        var count: UInt32 = 0
        var odd = ""
    }

    /// The events of a body that has one more member; nil if it is refused.
    private func events(_ last: String, _ list: [UInt8]) -> [Event]? {
        let body = Array("{\"events\":[".utf8) + list + Array("],\"\(last)\":\"at\"}".utf8)
        return body.withUnsafeBufferPointer { bytes -> [Event]? in
            // A body that is refused has no events.
            guard let read = try? parser.parseWithFlaws(bytes), read.isArray(2) else { return nil }
            var (node, events) = (3, [Event]())
            var timestamps = TimestampReader()
            for _ in 0..<read.count(2) {
                do throws(OddEvent) {
                    let event = try WireEvent(read, node: node, limits: IntakeLimits(), timestamps: &timestamps)
                    let fields = event.fields.map { Self.nodes($0..<read.next($0), of: read) } ?? []
                    events.append(
                        Event(
                            name: Array(read.bytes(event.name)), at: event.at, fields: fields,
                            hasFirsts: event.firsts != nil, count: event.count))
                } catch {
                    events.append(Event(odd: "\(error.pointer) \(error.member ?? -1) \(error.expected)"))
                }
                node = read.next(node)
            }
            return events
        }
    }

    private static let texts = [
        "event", "at", "", "é", "aXb", "aYb", "a", "\u{1F600}", ":,{}[]", "true", String(repeating: "x", count: 41),
    ]
    private static let words = [
        "true", "false", "null", "tru", "nulll", "0", "-0", "-0.0", "01", "1.", "-", ".5", "1.5.2", "1e5", "1e400",
        "12.99",
        "0.1", "123456789012345", "1234567890123456", "99999999999999.9", "999999999999999.9", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "-00.5", "+1", "0x1",
    ]

    private func value(_ depth: Int, using random: inout SeededGenerator) -> String {
        let blank =
            [" ", "\n", "\t\r "].randomElement(using: &random).map { Bool.random(using: &random) ? $0 : "" } ?? ""
        func text() -> String { "\"\(Self.texts.randomElement(using: &random) ?? "")\"" }
        switch Int.random(in: depth > 0 ? 0..<6 : 0..<3, using: &random) {
        case 0: return text() + blank
        case 1: return blank + (Self.words.randomElement(using: &random) ?? "") + blank
        case 2: return "\(Double(Int.random(in: -99_999...99_999, using: &random)) / 100)"
        case 3:
            let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth - 1, using: &random) }
            return "[" + members.joined(separator: "," + blank) + "]"
        default:
            let many = Int.random(in: 0..<40, using: &random) == 0 ? 18 : Int.random(in: 0..<4, using: &random)
            let members = (0..<many).map { place in
                (many == 18 ? "\"k\(place)\"" : text()) + blank + ":" + value(depth - 1, using: &random)
            }
            return "{" + members.joined(separator: "," + blank) + "}"
        }
    }

    @Test("random documents, some of them broken")
    func same() {
        var random = SeededGenerator(seed: 44)
        let noise = Array("{}[]:,\" \n0123.-etfn".utf8) + [0x0c, 0x1a, 0x80, 0x01]
        var taken = 0
        for _ in 0..<5000 {
            var document = Array(value(5, using: &random).utf8)
            for _ in 0..<max(0, Int.random(in: -4..<3, using: &random)) {
                let place = Int.random(in: 0..<document.count, using: &random)
                document[place] = noise.randomElement(using: &random) ?? 0
            }
            let plain = nodes("a", document)
            #expect(plain == nodes("\\u0061", document), "\(String(decoding: document, as: UTF8.self))")
            taken += plain == nil ? 0 : 1
        }
        #expect((500..<4500).contains(taken), "\(taken) were taken")
    }

    @Test("random events, some of them odd, in lists, some of them broken")
    func sameEvents() {
        var random = SeededGenerator(seed: 45)
        let noise = Array("{}[]:,\" \n".utf8) + [0x80]
        func member() -> String {
            let blank = Int.random(in: 0..<12, using: &random) == 0 ? " " : ""
            let others = [
                "\"fields\":{}", "\"fields\":{\"a\":1,\"at\":\"b\"}", "\"fields\":[]", "\"count\":3", "\"count\":0",
                "\"firsts\":{}", "\"event\":5", "\"at\":{}", "\"at\":\"now\"", "\"evens\":\"a\"",
                "\"fields\":{\"b\":[[[1]]]}",
                "\"event\":\"\(String(repeating: "x", count: 41))\"",
            ]
            return blank + (others.randomElement(using: &random) ?? "") + blank
        }
        func event() -> String {
            let name = ["\"home\"", " \"\"", "\"é,:\""].randomElement(using: &random) ?? ""
            let second = Int.random(in: 0..<62, using: &random)
            let time = "10:0\(second % 3):\(second < 10 ? "0" : "")\(second)\(second % 7 == 0 ? "" : "Z")"
            let at = "\"at\":\"2026-11-21T\(time)\""
            var members = ["\"event\":\(name)", at]
            if Bool.random(using: &random) { members.append(member()) }
            if Int.random(in: 0..<6, using: &random) == 0 { members.shuffle(using: &random) }
            if Int.random(in: 0..<20, using: &random) == 0 { members.removeLast() }
            return Int.random(in: 0..<30, using: &random) == 0 ? "[7]" : "{\(members.joined(separator: ","))}"
        }
        var (taken, odd) = (0, 0)
        for _ in 0..<5000 {
            let all = (0..<Int.random(in: 1..<6, using: &random)).map { _ in event() }
            var list = Array(all.joined(separator: ",").utf8)
            for _ in 0..<max(0, Int.random(in: -6..<2, using: &random)) {
                let place = Int.random(in: 0..<list.count, using: &random)
                list[place] = noise.randomElement(using: &random) ?? 0
            }
            let plain = events("a", list)
            #expect(plain == events("\\u0061", list), "\(String(decoding: list, as: UTF8.self))")
            taken += plain == nil ? 0 : 1
            odd += plain?.count { $0.odd != "" } ?? 0
        }
        #expect((2500..<5000).contains(taken), "\(taken) were taken")
        #expect((1000..<12_000).contains(odd), "\(odd) were odd")
    }
}
