import Foundation
import Testing
import ThrongCrowd
import ThrongPlan

/// Promise of `reach: attested`: the price of short rotations ends, because k is compared with the devices of the period.
@Suite("Firsts that devices prove reach k where long identifiers would")
struct ProvedCrowdTests {
    private struct Shown {
        /// Published numbers, over all metrics and groupings of the day.
        let published: Int
        /// Numbers with k devices behind them.
        let reached: Int
        /// Of the published ones, those that say of how many devices they are.
        let devices: Int
    }

    private static func shown(rotation: String, reach: String, devices: Int) throws -> Shown {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Deploy/sample/shop.yaml").standardized
        let yaml = try String(contentsOf: file, encoding: .utf8)
            .replacing("rotation: 1 day", with: "rotation: \(rotation)")
            .replacing("rotation: 15 minutes     # harder", with: "rotation: \(rotation)     # harder")
            .replacing("    retention:", with: "    floor: attested\n    retention:")
            .replacing("reach: true", with: "reach: \(reach)")
        let plan = try Plan(yaml: yaml, file: "shop.yaml")
        #expect(plan.metrics.filter(\.provesFirsts).count == (reach == "attested" ? 5 : 0))
        let (published, reached, numbers) = try DayShown.of(plan, devices: devices, CrowdFolder.sample().crowd())
        return Shown(published: published, reached: reached, devices: numbers)
    }

    @Test("as many numbers of the shop's day reach k at 15 minutes as with identifiers of a day", arguments: [3000])
    func shop(devices: Int) throws {
        let short = try Self.shown(rotation: "15 minutes", reach: "true", devices: devices)
        let proved = try Self.shown(rotation: "15 minutes", reach: "attested", devices: devices)
        let long = try Self.shown(rotation: "1 day", reach: "true", devices: devices)
        print("shop, \(devices) devices: 15 minutes \(short), with firsts \(proved), a day \(long)")
        #expect(proved.reached >= long.reached)
        // Without firsts a window has few devices.
        #expect(short.reached + 15 <= long.reached && short.devices < proved.devices)
    }
}
