import Testing
import ThrongPlan

@testable import ThrongRelease

/// Attack 33, on published numbers only: a number of events of which one device has sent nearly all, and a sum of zeros and
/// ones, which says how many are of either kind.
@Suite(
    "Promise 5: k devices are behind the events of a cell, not one and nineteen others, and behind either value of a flag"
)
struct CountRuleTests {
    private static func town(bound: Int, sums: [SumMeasure] = []) -> Town {
        Town([Town.dimension("os", ["ios", "android", "web"])], sums: sums, groupings: [[], [0]], bound: bound)
    }

    private static let flag = SumMeasure(name: "bought", field: "bought", lowest: 0, highest: 1, decimals: 0, unit: "")

    /// Which systems a day publishes.
    private static func published(
        _ town: Town, _ cells: [String: Town.Counted], windows: Int64 = 1
    ) throws -> Set<String> {
        let decision = try ReleaseCase(
            header: town.header(Town.day(0), groupings: [[], [0]]), parts: [try town.cube(0, cells, windows: windows)]
        ).decide()
        let labels = town.layout.dimensions[0].labels
        return Set(
            decision.release.cells.filter { $0.margin != .total }.map { labels[Int($0.cell.value)].text })
    }

    /// What a house publishes that asks for k devices and no more.
    private static func naive(_ cells: [String: Town.Counted]) -> Set<String> {
        Set(cells.filter { $0.value.devices >= 20 }.keys)
    }

    /// Two more systems, so that one that is withheld needs no better protection than another.
    private static func beside(_ counted: Town.Counted) -> [String: Town.Counted] {
        [
            "ios": counted, "android": .init(events: 900, devices: 300, sum: 400, top: [3, 3]),
            "web": .init(events: 900, devices: 300, sum: 400, top: [3, 3]),
        ]
    }

    @Test("of 219 events of 20 devices one may have sent 200, and the number is withheld", arguments: [219, 218])
    func dominated(events: Int64) throws {
        // 19 others have sent one each at least, and 18 is a tenth of 180 and not of 200.
        let cells = Self.beside(.init(events: events, devices: 20))
        #expect(Self.naive(cells).contains("ios"))
        #expect(try !Self.published(Self.town(bound: 1000), cells).contains("ios"))
    }

    @Test("where the plan lets one device send no more than 100 in a day, it is published")
    func bounded() throws {
        #expect(try Self.published(Self.town(bound: 100), Self.beside(.init(events: 219, devices: 20))).contains("ios"))
    }

    @Test("the most that one device can have sent: what the others leave, and what the bound allows in all windows")
    func largest() {
        func rule(_ events: Int64, _ identifiers: [Int64], bound: Int) -> CountRule {
            let rows = identifiers.enumerated().map {
                DeviceCounts.Row(window: .init(part: 0, number: Int64($0.offset)), bucket: 0, devices: $0.element)
            }
            return CountRule(events: events, devices: DeviceCounts(rows), bound: bound)
        }
        #expect(rule(219, [20], bound: 1000).largest == 200)
        #expect(rule(219, [20], bound: 100).largest == 100)
        #expect(rule(219, [20, 20], bound: 50).largest == 100)
        #expect(rule(219, [20, 1], bound: 1000).largest == 200)
        #expect(rule(219, [], bound: 1).largest == 219, "nothing is known")
        // 100 · (T − X12) against 10 · X1, at the edge: 18 others, and 180 of one device.
        #expect(rule(199, [20], bound: 1000).passes(.standard))
        #expect(!rule(200, [20], bound: 1000).passes(.standard))
        #expect(!rule(219, [], bound: 1).passes(.standard))
    }

    @Test("how many events have to be of k devices, whoever sent them")
    func reached() {
        let rows = [DeviceCounts.Row(window: .init(part: 0, number: 0), bucket: 0, devices: 40)]
        let rule = CountRule(events: 60, devices: DeviceCounts(rows), bound: 100)
        // 21 devices have sent one at least that is not of 19: so those have sent 39 at most.
        #expect(rule.isReached(.standard, by: 40))
        #expect(!rule.isReached(.standard, by: 39))
        #expect(rule.isReached(.standard, by: 20, limit: 1))
        #expect(!rule.isReached(.standard, by: 19, limit: 1))
        #expect(!rule.isReached(.standard, by: 0, limit: 0))
    }

    @Test(
        "a sum of zeros and ones is published with 20 devices on either side, not with 19 or none",
        arguments: [(3, false), (0, false), (19, false), (20, true), (40, true), (41, false), (60, false)])
    func flag(ones: Int64, isPublished: Bool) throws {
        let cells = Self.beside(.init(events: 60, devices: 60, sum: ones, top: [min(1, ones), ones > 1 ? 1 : 0]))
        #expect(Self.naive(cells).contains("ios"))
        #expect(try Self.published(Self.town(bound: 1, sums: [Self.flag]), cells).contains("ios") == isPublished)
    }

    @Test("so it is where the two values are one unit apart elsewhere, and with decimals")
    func shifted() throws {
        let lower = SumMeasure(name: "bought", field: "bought", lowest: -1, highest: 0, decimals: 0, unit: "")
        let upper = SumMeasure(name: "bought", field: "bought", lowest: 0.1, highest: 0.2, decimals: 1, unit: "")
        let wide = SumMeasure(name: "bought", field: "bought", lowest: 0, highest: 0.2, decimals: 1, unit: "")
        #expect(lower.isFlag && upper.isFlag && !wide.isFlag && Self.flag.isFlag)
        // 3 of 60 are not the lower value.
        let rare = Town.Counted(events: 60, devices: 60, sum: -57, top: [1, 1])
        let common = Town.Counted(events: 60, devices: 60, sum: -30, top: [1, 1])
        let town = Self.town(bound: 1, sums: [lower])
        func cells(_ counted: Town.Counted) -> [String: Town.Counted] {
            ["ios": counted, "android": common, "web": common]
        }
        #expect(try !Self.published(town, cells(rare)).contains("ios"))
        #expect(try Self.published(town, cells(common)).contains("ios"))
    }

    @Test("where one device may send many, as many ones have to be there that 19 can't have sent them")
    func manyEach() throws {
        func cells(_ ones: Int64, largest: Int64) -> [String: Town.Counted] {
            Self.beside(.init(events: 900, devices: 300, sum: ones, top: [largest, largest]))
        }
        let town = Self.town(bound: 10, sums: [Self.flag])
        #expect(try !Self.published(town, cells(95, largest: 5)).contains("ios"), "19 devices with 5 each")
        #expect(try Self.published(town, cells(96, largest: 5)).contains("ios"))
    }
}
