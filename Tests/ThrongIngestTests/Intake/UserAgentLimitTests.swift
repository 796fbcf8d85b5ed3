import Testing
import ThrongIngest
import ThrongWire

@Suite("What user agents a batch may bring")
struct UserAgentLimitTests {
    private static func agent(_ number: Int) -> String { #""user_agent":"Odd/\#(number) (compatible; bot)""# }

    @Test("one device has so many user agents in a batch, repeats aside; events with further ones are refused")
    func most() throws {
        let kiosk = try Kiosk()
        let most = IntakeLimits.userAgentsPerBatch
        let events = (0..<100).map { Kiosk.event("view", Self.agent($0 % 10)) }
        let refused = try kiosk.read(events)
        #expect(refused.map(\.index) == (0..<100).filter { $0 % 10 >= most })
        #expect(Set(refused.map(\.reason)) == [.invalidValue])
        #expect(refused.first?.detail == RefusalDetail(pointer: "/events/4/fields", field: "user_agent"))
    }

    @Test("the context's user agent is one of them, and an event without one takes none")
    func context() throws {
        let kiosk = try Kiosk()
        let events = (0..<4).map { Kiosk.event("view", Self.agent($0)) } + [Kiosk.event("view")]
        #expect(try kiosk.read(events, context: Self.agent(99)).map(\.index) == [3])
        #expect(try kiosk.read(events, context: Self.agent(2)).isEmpty)
    }

    @Test("a batch that brings a user agent for the first time is not read where others wait, and is once it was read")
    func firstSight() throws {
        let kiosk = try Kiosk()
        let inContext = Self.agent(1)
        #expect(try !kiosk.isQuick([Kiosk.event("view")], context: inContext))
        #expect(try !kiosk.isQuick([Kiosk.event("view")], context: inContext), "looking is not reading")
        #expect(try kiosk.read([Kiosk.event("view")], context: inContext).isEmpty)
        #expect(try kiosk.isQuick([Kiosk.event("view")], context: inContext))
        let inEvent = [Kiosk.event("view"), Kiosk.event("view", Self.agent(2))]
        #expect(try !kiosk.isQuick(inEvent, context: inContext))
        #expect(try kiosk.read(inEvent, context: inContext).isEmpty)
        #expect(try kiosk.isQuick(inEvent, context: inContext))
    }

    @Test("batches without a user agent, or with one that a dimension's label is, are read at once")
    func quick() throws {
        let kiosk = try Kiosk()
        #expect(
            try kiosk.isQuick([Kiosk.event("view", #""channel":"email""#), Kiosk.event("purchase", #""amount":1"#)]))
        #expect(try kiosk.isQuick([Kiosk.event("view")], context: #""user_agent":null"#))
        #expect(try kiosk.isQuick([Kiosk.event("view")], context: #""user_agent":"phone""#))
        let labels = ["phone", "tablet", "desktop", "bot", "Windows", "macOS", "iOS", "Android", "other"]
        #expect(try kiosk.read(labels.map { Kiosk.event("view", #""user_agent":"\#($0)""#) }).isEmpty)
    }
}
