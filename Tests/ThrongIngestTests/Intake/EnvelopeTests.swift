import Foundation
import Testing
import ThrongIngest
import ThrongPlan

@Suite("A body of the wrong shape is refused with its place")
struct EnvelopeTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let plan = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
        dimensions:
          category: {title: Category, field: category, list: [cake]}
        metrics:
          views:
            title: Views
            events: [view]
            question: What?
            decision: That.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [category]
            period: day
        """

    private static func intake(_ limits: IntakeLimits = IntakeLimits()) throws -> Intake {
        let plan = try Plan(yaml: plan, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        return try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system, limits: limits)
    }

    private static func read(_ text: String, limits: IntakeLimits = IntakeLimits()) throws -> IntakeError? {
        try read(Array(text.utf8), limits: limits)
    }

    private static func read(_ bytes: [UInt8], limits: IntakeLimits = IntakeLimits()) throws -> IntakeError? {
        let intake = try intake(limits)
        return bytes.withUnsafeBufferPointer { buffer in
            do throws(IntakeError) {
                _ = try intake.read(buffer, signals: [], now: now)
                return nil
            } catch {
                return error
            }
        }
    }

    private static func batch(
        batch: String = "00112233445566778899aabbccddeeff", window: String = "1994640", id: String = #""a""#,
        context: String = "{}", events: String = #"[{"event":"view","at":"2026-11-20T11:59:00Z"}]"#, more: String = ""
    ) -> String {
        #"{"app":"shop","batch":"\#(batch)","purpose":"product","window":\#(window),"id":\#(id),"#
            + #""context":\#(context),"events":\#(events)\#(more)}"#
    }

    @Test("a good batch is read")
    func good() throws { #expect(try Self.read(Self.batch()) == nil) }

    @Test("a byte order mark before it is no part of it")
    func byteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for body in [Self.batch(), Self.batch(id: #""\u0061""#)] {
            #expect(try Self.read(mark + body.utf8) == nil)
        }
        #expect(try Self.read(mark) != nil && Self.read(Array(Self.batch().utf8) + mark) == .notJSON)
    }

    @Test("whole numbers are whole however they are written")
    func wholeNumbers() throws {
        for window in ["1994640", "1994640.0", "1.99464e6", "199464E1"] {
            #expect(try Self.read(Self.batch(window: window)) == nil, "\(window)")
        }
        for window in ["1994640.5", "1e300", "\"1994640\"", "true"] {
            #expect(try Self.read(Self.batch(window: window))?.pointer == "/window", "\(window)")
        }
    }

    @Test(
        "each fault is named with its JSON pointer",
        arguments: [
            (batch(batch: "xyz"), "wrong_shape", "/batch"),
            (batch(window: "1.5"), "wrong_shape", "/window"),
            (batch(more: #","consent_version":0"#), "wrong_shape", "/consent_version"),
            (batch(more: #","consent_version":"2""#), "wrong_shape", "/consent_version"),
            (batch(more: #","consent_version":null"#), "wrong_shape", "/consent_version"),
            (batch(id: #""""#), "wrong_shape", "/id"),
            (batch(id: "\"" + String(repeating: "x", count: 65) + "\""), "wrong_shape", "/id"),
            (batch(id: "7"), "wrong_shape", "/id"),
            (batch(context: "[]"), "wrong_shape", "/context"),
            (batch(events: "[]"), "wrong_shape", "/events"),
            (batch(more: #","extra":1"#), "wrong_shape", ""),
            (batch(more: #","app":"shop""#), "duplicate_key", ""),
            (batch(context: #"{"category":"a","category":"b"}"#), "duplicate_key", "/context"),
            (batch(context: #"{"category":"a\u0000b"}"#), "nul", "/context"),
            (batch(context: #"{"category":"\ud800"}"#), "wrong_shape", "/context"),
            (batch(id: "\"" + String(repeating: "x", count: 2049) + "\""), "string_too_long", "/id"),
            (batch(window: "1994642"), "window_out_of_range", "/window"),
            (batch(window: "1994638"), "window_out_of_range", "/window"),
            (batch(window: "-9223372036854775808"), "window_out_of_range", "/window"),
            // The one whose difference to the current window has no absolute value.
            (batch(window: "-9223372036852781168"), "window_out_of_range", "/window"),
            (batch().replacing(#""app":"shop""#, with: #""app":"other""#), "unknown_app", "/app"),
            (batch().replacing("product", with: "ads"), "unknown_purpose", "/purpose"),
        ])
    func faults(body: String, code: String, pointer: String) throws {
        let error = try #require(try Self.read(body))
        #expect(error.code == code)
        #expect(error.pointer == pointer)
    }

    @Test(
        "what is no document at all is refused by kind",
        arguments: [
            ("", "not_json"), ("[", "not_json"), ("{}{}", "not_json"), ("NaN", "not_json"),
            (batch(window: "1e400"), "number_out_of_range"),
            (batch(window: "123456789012345678901234567890"), "number_out_of_range"),
            (batch(context: #"{"category":[[[[[[[[[]]]]]]]]]}"#), "too_deep"),
        ])
    func documents(body: String, code: String) throws { #expect(try Self.read(body)?.code == code) }

    @Test("a body of another kind is refused by what it is, and nothing else is taken for one")
    func foreign() throws {
        let document = Self.batch()
        for (body, found) in [
            ("", .empty), (" \r\n\t", .empty),
            ("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--", .multipart),
            ("\r\n----WebKitFormBoundary7\r\n", .multipart), ("a=b&c=d", .form), ("data=%7B%7D", .form),
            ("e[]=1", .form),
            ("<?xml version='1.0'?><a/>", .markup), ("\n<html>", .markup),
        ] as [(String, ForeignBody)] {
            #expect(try Self.read(body) == .foreign(found), "\(body)")
        }
        func wide(_ encoding: String.Encoding) -> [UInt8] { Array(document.data(using: encoding) ?? Data()) }
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
            #expect(try Self.read(wide(encoding)) == .foreign(.wideText))
        }
        #expect(try Self.read([0x1F, 0x8B, 8, 0, 0, 0]) == .foreign(.gzip))
        for body in ["-1", "- -1", "nonsense", "'a'='b'", "{\"a\"=1}", "x y=1", "="] {
            if case .foreign = try Self.read(body) { Issue.record("\(body) is taken for something else") }
        }
        #expect(try Self.read(document) == nil, "control")
        let codes = ForeignBody.allCases.map { IntakeError.foreign($0).code }
        #expect(
            codes == [
                "not_json", "unsupported_media_type", "unsupported_media_type", "unsupported_media_type", "not_json",
                "not_json",
            ])
    }

    @Test("bytes that are no UTF-8 are refused")
    func notUTF8() throws {
        let bytes = Array(Self.batch(id: #""a?""#).utf8).map { $0 == UInt8(ascii: "?") ? 0xC3 : $0 }
        #expect(try Self.read(bytes) == .notUTF8)
    }

    @Test("limits hold at the limit and one beyond")
    func limits() throws {
        let event = #"{"event":"view","at":"2026-11-20T11:59:00Z"}"#
        func events(_ count: Int) -> String {
            "[" + Array(repeating: event, count: count).joined(separator: ",") + "]"
        }
        let limits = IntakeLimits(eventsPerBatch: 3)
        #expect(try Self.read(Self.batch(events: events(3)), limits: limits) == nil)
        #expect(try Self.read(Self.batch(events: events(4)), limits: limits) == .tooManyEvents(found: 4, limit: 3))
        let size = Self.batch().utf8.count
        #expect(try Self.read(Self.batch(), limits: IntakeLimits(bodyBytes: size)) == nil)
        #expect(
            try Self.read(Self.batch(), limits: IntakeLimits(bodyBytes: size - 1)) == .bodyTooLarge(limit: size - 1))
    }

    @Test("pointers and messages hold none of the client's own words")
    func noEcho() throws {
        let secret = "canary"
        for body in [
            Self.batch(context: #"{"\#(secret)":{"\#(secret)":1,"\#(secret)":2}}"#),
            Self.batch(more: #","\#(secret)":1"#),
        ] {
            let error = try #require(try Self.read(body))
            #expect(!error.message.contains(secret))
            #expect(error.pointer?.contains(secret) != true)
        }
    }
}
