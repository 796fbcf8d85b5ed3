import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("whose sums one or two devices make up, over days and above the lowest value")
struct SumRuleTests {
    private static func town(lowest: Double = 0) -> Town {
        Town(
            [Town.dimension("os", ["ios", "android"])],
            sums: [SumMeasure(name: "paid", field: "paid", lowest: lowest, highest: 1000, decimals: 0, unit: "EUR")],
            groupings: [[0]])
    }

    /// Whether each system passes, by the days that are put together.
    private static func passes(_ town: Town, _ days: [[String: Town.Counted]]) throws -> [Bool] {
        let cubes = try days.enumerated().map { try town.cube($0, $1) }
        let frame = ReleaseFrame(cubes, layout: town.layout)
        let slab = CubeSlab(frame, span: 0..<days.count, margin: Margin(keeping: [0]))
        let rule = SumRule(frame, slab: slab, protection: .standard, threshold: .standard)
        return slab.cells.indices.map { rule.passes($0) }
    }

    private static let usual = Town.Counted(events: 100, devices: 50, sum: 100, top: [5, 4])

    @Test("of a sum of 100, two devices with 95 leave enough to hide the one with 50, and with 96 too little")
    func edge() throws {
        // 100 - 95 = 5 is 10 % of 50; one less is not.
        let at = Town.Counted(events: 100, devices: 50, sum: 100, top: [50, 45])
        let over = Town.Counted(events: 100, devices: 50, sum: 100, top: [50, 46])
        #expect(try Self.passes(Self.town(), [["ios": at, "android": over]]) == [true, false])
    }

    @Test("a day that one device dominates may be part of a week that it does not")
    func week() throws {
        let dominated = Town.Counted(events: 100, devices: 50, sum: 100, top: [95, 4])
        #expect(try Self.passes(Self.town(), [["ios": dominated]]) == [false])
        let week = [["ios": dominated]] + Array(repeating: ["ios": Self.usual], count: 6)
        #expect(try Self.passes(Self.town(), week) == [true])
    }

    @Test("a device that is ahead on every day is ahead in the week, although its identifier changed")
    func everyDay() throws {
        let dominated = Town.Counted(events: 100, devices: 50, sum: 100, top: [95, 4])
        #expect(try Self.passes(Self.town(), Array(repeating: ["ios": dominated], count: 7)) == [false])
    }

    @Test("where nobody noted the contributions, nothing is known and nothing passes")
    func unknown() throws {
        let blank = Town.Counted(events: 100, devices: 50, sum: 100_000, top: nil)
        #expect(try Self.passes(Self.town(), [["ios": blank, "android": Self.usual]]) == [false, true])
        #expect(try Self.passes(Self.town(), [["ios": Self.usual], ["ios": blank]]) == [false])
    }

    @Test("a lowest value above zero is part of the sum that hides, and of the contributions")
    func lowest() throws {
        // A hundred events of 10 or more: 1000 of the 1100 everybody knows, and the largest is 110 of them.
        let raised = Town.Counted(events: 100, devices: 50, sum: 1100, top: [110, 20])
        #expect(try Self.passes(Self.town(lowest: 10), [["ios": raised]]) == [true])
        let dominated = Town.Counted(events: 100, devices: 50, sum: 1100, top: [1000, 50])
        #expect(try Self.passes(Self.town(lowest: 10), [["ios": dominated]]) == [false])
    }

    @Test("negative values are measured from the lowest one on: a sum of nothing can be dominated")
    func negative() throws {
        // Contributions have 5 added per event: 100 events raise a sum of 0 to 500.
        let even = Town.Counted(events: 100, devices: 50, sum: 0, top: [20, 20])
        let dominated = Town.Counted(events: 100, devices: 50, sum: 0, top: [400, 90])
        #expect(
            try Self.passes(Self.town(lowest: -5), [["ios": even, "android": dominated]]) == [true, false])
    }

    @Test("a metric without sums passes")
    func none() throws {
        let town = Town([Town.dimension("os", ["ios", "android"])], groupings: [[0]])
        #expect(try Self.passes(town, [["ios": .init(events: 50, devices: 50)]]) == [true])
    }
}
