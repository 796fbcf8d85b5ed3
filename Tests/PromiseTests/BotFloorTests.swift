import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongWire

@Suite("Promise 4: a published number stands for at least k devices, and no bot is one")
struct BotFloorTests {
    private static let plan = House.shop.replacing("field: os", with: "field: user_agent")
        .replacing("list: [ios, android]", with: "device_class: standard")
    private static let phone =
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36"
    private static let bots = ["curl/8.5.0", "\(phone) (compatible; Bytespider)", "okhttp/4.12.0", "bot"]

    private static func house(_ agents: [String], inContext: Bool = true) throws -> House {
        var house = try House(Self.plan)
        for (number, agent) in agents.enumerated() {
            let own = inContext ? "" : #","user_agent":"\#(agent)""#
            let event = House.event("view", fields: #"{"category":"cake","paid":1\#(own)}"#)
            let context = inContext ? #"{"user_agent":"\#(agent)"}"# : "{}"
            let answer = try house.post(House.batch(device: "d\(number)", context: context, events: event))
            #expect(answer.accepted == 1)
        }
        return house
    }

    @Test("forty bots make no k, however they say it, and twenty phones do", arguments: [true, false])
    func bots(inContext: Bool) throws {
        for bot in Self.bots {
            var house = try Self.house(Array(repeating: bot, count: 40), inContext: inContext)
            #expect(try house.release("views").cells.isEmpty, "\(bot)")
            house.flush()
            #expect(house.stored.values.max() == 4000, "what they sent is counted")
        }
        var phones = try Self.house(Array(repeating: Self.phone, count: 20), inContext: inContext)
        #expect(try phones.release("views").cell(["os": "phone", "category": "cake"])?.reach?.devices == 20)
    }

    @Test("forty bots lift nineteen phones over no threshold, and are in no reach")
    func mixed() throws {
        let crowd = Array(repeating: "curl/8.5.0", count: 40)
        var few = try Self.house(Array(repeating: Self.phone, count: 19) + crowd)
        #expect(try few.release("views").cells.isEmpty)
        var enough = try Self.house(Array(repeating: Self.phone, count: 25) + crowd)
        let release = try enough.release("views")
        #expect(release.cell([:])?.reach?.devices == 25 && release.cell([:])?.count == 65)
        #expect(release.cell(["os": "phone"])?.count == 25)
        #expect(release.cell(["os": "bot", "category": "cake"]) == nil)
    }
}
