import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

@Suite("What an app does wrong, it is told")
struct NoticeTests {
    @Test("a dropped event is told by name, reason and number, also in an app's tests")
    func dropped() async throws {
        let told = Mutex<[ThrongNotice]>([])
        let world = try await World { options in options.notice = { notice in told.withLock { $0.append(notice) } } }
        try await world.throng.setConsent(.denied, for: "adverts")
        for _ in 0..<3 { world.throng.record("misspelt", ["a": 1]) }
        world.throng.record("recipe_opened", ["colour": "red"])
        world.throng.record("purchase", ["amount": "much"])
        world.throng.record("arrival")
        _ = await world.throng.flush()
        #expect(
            Set(told.withLock { $0 }) == [
                .dropped(event: "misspelt", reason: .unknownEvent, count: 3),
                .dropped(event: "recipe_opened", reason: .unknownField, count: 1),
                .dropped(event: "purchase", reason: .invalidValue, count: 1),
                .dropped(event: "arrival", reason: .notAllowed, count: 1),
            ])
    }

    private enum Dish: String, EventValueConvertible { case cake, roast }

    @Test("a value is given as the app has it: numbers, texts, flags and its own types, literal or not")
    func values() async throws {
        let world = try await World(CookPlan(CookPlan.precise))
        let (whole, small, exact, text, part) = (12, UInt8(3), 2.25, "4.5", "7,x".prefix(1))
        world.throng.record("purchase", ["amount": whole])
        world.throng.record("purchase", ["amount": small])
        world.throng.record("purchase", ["amount": exact])
        world.throng.record("purchase", ["amount": text])
        world.throng.record("purchase", ["amount": part])
        world.throng.record("purchase", ["amount": 1, "app_version": "2.1.0"])
        world.throng.record("purchase", ["amount": UInt64.max])
        world.throng.record("recipe_opened", ["category": Dish.roast])
        let typed: [String: EventValue] = ["category": .text("cake")]
        world.throng.record("recipe_opened", typed)
        await world.throng.setContext(["os": text])
        #expect(await world.throng.flush().counted == 9)
        // 12, 3, 2.25, 4.5, 7, 1, and what is cut at 10,000, in hundredths.
        #expect(world.daemon.sums.values.reduce(0, +) == 1_002_975)
        let dishes = world.daemon.cells.filter { $0.key.metric == "recipes" }.keys.map { $0.labels[1] }
        #expect(dishes.sorted() == ["dessert", "main"])
    }

    @Test("a preview refuses what recording refuses: answers that devices make themselves, and metrics that expired")
    func preview() async throws {
        let world = try await World(CookPlan(CookPlan.asking))
        let answer = await world.throng.preview("week_return", ["week": "3"])
        #expect(answer.counted.isEmpty && answer.refused == .unknownEvent)
        let yaml = CookPlan.yaml.replacing("    period: month", with: "    period: month").replacing(
            "decision: Whether we go on.\n    owner: Team\n    expires: 2027-10-01",
            with: "decision: Whether we go on.\n    owner: Team\n    expires: 2026-12-01")
        let expiring = try await World(CookPlan(yaml))
        expiring.clock.set(CookPlan.monday + 40 * CookPlan.day)
        let preview = await expiring.throng.preview("recipe_opened", ["category": "cake"])
        #expect(preview.counted.map(\.metric) == ["recipes"] && preview.refused == nil)
        expiring.throng.record("recipe_opened", ["category": "cake"])
        #expect(await expiring.throng.flush().counted == 1)
        #expect(Set(expiring.daemon.cells.keys.map(\.metric)) == ["recipes"])
    }

    @Test("the privacy manifest can be read, is shipped, and says that nobody is tracked")
    func manifest() throws {
        let place = Bundle.main.bundleURL.appendingPathComponent("throng_ThrongClient.resources/PrivacyInfo.xcprivacy")
        let data = try Data(contentsOf: place)
        let manifest = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        #expect(manifest?["NSPrivacyTracking"] as? Bool == false)
        let types = manifest?["NSPrivacyCollectedDataTypes"] as? [[String: Any]] ?? []
        #expect(types.count == 1)
        for type in types {
            #expect(type["NSPrivacyCollectedDataTypeLinked"] as? Bool == false)
            #expect(type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false)
        }
        #expect((manifest?["NSPrivacyAccessedAPITypes"] as? [Any])?.isEmpty == true)
    }
}
