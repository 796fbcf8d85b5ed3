import Testing
import ThrongIngest
import ThrongWire

@Suite("A refusal says where its reason is, in the plan's words and places")
struct RefusalDetailTests {
    private let kiosk: Kiosk

    init() throws { kiosk = try Kiosk() }

    private func detail(_ event: String, context: String = "") throws -> RefusalDetail? {
        let refused = try kiosk.read([Kiosk.event("purchase", #""amount":1"#), event], context: context)
        return refused.last?.detail
    }

    @Test("a field with a slip in it, and an event's name: the place, and the name that was likely meant")
    func slips() throws {
        #expect(
            try detail(Kiosk.event("view", #""chanel":"email""#))
                == RefusalDetail(pointer: "/events/1/fields", member: 0, nearest: "channel"))
        #expect(
            try detail(Kiosk.event("view", #""channel":"email","useragent":"x""#))
                == RefusalDetail(pointer: "/events/1/fields", member: 1, nearest: "user_agent"))
        #expect(
            try detail(Kiosk.event("purchsae"))
                == RefusalDetail(pointer: "/events/1/event", nearest: "purchase"))
        #expect(
            try kiosk.read([Kiosk.event("view")], context: #""Channel":"email""#)
                == [
                    .init(
                        index: 0, reason: .unknownField,
                        detail: RefusalDetail(pointer: "/context", member: 0, nearest: "channel"))
                ])
    }

    @Test("a field that other events may have is named, and one that nobody may is not")
    func fields() throws {
        #expect(
            try detail(Kiosk.event("view", #""amount":1"#))
                == RefusalDetail(pointer: "/events/1/fields", member: 0, field: "amount"))
        #expect(
            try detail(Kiosk.event("view", #""channel":"email","SECRET_VALUE":1"#))
                == RefusalDetail(pointer: "/events/1/fields", member: 1))
        #expect(try detail(Kiosk.event("teleport")) == RefusalDetail(pointer: "/events/1/event"))
    }

    @Test("a value that can't be is named by its field")
    func values() throws {
        #expect(
            try detail(Kiosk.event("purchase"))
                == RefusalDetail(pointer: "/events/1/fields", field: "amount", found: "nothing"))
        for (value, shape) in [(#""12,50""#, "text with a comma"), (#""much""#, "text"), ("true", "true or false")] {
            #expect(
                try detail(Kiosk.event("purchase", #""amount":\#(value)"#))
                    == RefusalDetail(pointer: "/events/1/fields", field: "amount", found: shape))
        }
        #expect(
            try detail(Kiosk.event("view", #""channel":[]"#))
                == RefusalDetail(pointer: "/events/1/fields", member: 0, field: "channel"))
        #expect(
            try detail(Kiosk.event("search", #""term":"apple pie""#))
                == RefusalDetail(pointer: "/events/1/fields"))
        #expect(
            try detail(Kiosk.event("view", more: #","firsts":{"views":{}}"#))
                == RefusalDetail(pointer: "/events/1/firsts"))
    }

    @Test("no name that a client made up comes back, however it is near, long or odd")
    func echoes() throws {
        let names = ["SECRET", String(repeating: "channel", count: 200), "chann\u{e9}l", "", "channel\\u0022,", "😀"]
        for name in names {
            for event in [Kiosk.event("view", #""\#(name)":1"#), Kiosk.event(name)] {
                let words = [try detail(event)].compactMap { $0 }.flatMap { [$0.field, $0.nearest].compactMap { $0 } }
                #expect(words.allSatisfy { ["channel", "user_agent", "view"].contains($0) }, "\(words)")
            }
        }
    }

    @Test("the first few refusals of a batch say where, and those after them only why")
    func most() throws {
        let refused = try kiosk.read((0..<1000).map { Kiosk.event("view", #""chanel\#($0 % 10)":1"#) })
        #expect(refused.count == 1000)
        #expect(refused.compactMap(\.detail).count == IntakeLimits.detailsPerBatch)
        #expect(refused.prefix(IntakeLimits.detailsPerBatch).allSatisfy { $0.detail?.nearest == "channel" })
    }
}
