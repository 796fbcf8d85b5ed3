import Testing
import ThrongChance
import ThrongIntake
import ThrongPlan

@testable import ThrongRelease

@Suite("A sum that one or two devices make up does not pass the p % rule")
struct DominanceTests {
    /// Two dimensions that partition devices around one that does not, and a sum with negative values.
    private static func layout(tracking groupings: [Margin]) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: "orders", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "android"], partitionsDevices: true, rule: "list"),
                .init(name: "category", labels: ["cake", "bread", "other"], partitionsDevices: false, rule: "list"),
                .init(name: "step", labels: ["seen", "paid"], partitionsDevices: false, rule: "list"),
                .init(name: "screen", labels: ["small", "large"], partitionsDevices: true, rule: "list"),
            ],
            sums: [
                SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 0, unit: "EUR"),
                SumMeasure(name: "change", field: "change", lowest: -5, highest: 5, decimals: 0, unit: ""),
            ],
            contributionBound: 10,
            groupings: groupings)
    }

    private struct Event {
        let device: Int
        let window: Int64
        let leaf: CellIndex
        let amounts: [Int64]
    }

    /// A few devices over a few windows; one of them is now and then far ahead of the others, a little in each window.
    private static func crowd(_ layout: MetricLayout, _ random: inout some RandomNumberGenerator) -> [Event] {
        let devices = Int.random(in: 1...9, using: &random)
        let windows = Int64.random(in: 1...8, using: &random)
        let categories = Int.random(in: 1...3, using: &random)
        let big: Int64 = [1, 4, 20].randomElement(using: &random) ?? 1
        return (0..<devices).flatMap { device in
            (0..<windows).flatMap { window in
                // Where a device is may change from window to window, not within one.
                let (os, screen) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<2, using: &random))
                return (0..<Int.random(in: device == 0 ? 1...3 : 0...3, using: &random)).map { _ in
                    let cell = [
                        os, .random(in: 0..<categories, using: &random), .random(in: 0..<2, using: &random), screen,
                    ]
                    return Event(
                        device: device,
                        window: window,
                        leaf: layout.cell(buckets: cell, in: layout.leaf),
                        amounts: [
                            .random(in: 0...5, using: &random) * (device == 0 ? big : 1),
                            .random(in: -5...5, using: &random),
                        ])
                }
            }
        }
    }

    /// What identifiers have contributed to a sum of each cell, from the lowest value on.
    private static func contributions<Key: Hashable>(
        _ events: [Event], _ layout: MetricLayout, _ margin: Margin, _ sum: Int, of key: (Event) -> Key
    ) -> [CellIndex: [Key: Int64]] {
        var found: [CellIndex: [Key: Int64]] = [:]
        for event in events {
            let cell = layout.project(event.leaf, from: layout.leaf, to: margin)
            found[cell, default: [:]][key(event), default: 0] += event.amounts[sum] + (sum == 1 ? 5 : 0)
        }
        return found
    }

    private struct Identifier: Hashable {
        let device: Int
        let window: Int64
    }

    private static func cube(_ events: [Event], _ layout: MetricLayout) -> StoredCube {
        var top: [StoredTop] = []
        var distinct: [StoredDistinct] = []
        for margin in layout.trackedMargins {
            for sum in 0..<2 {
                let cells = contributions(events, layout, margin, sum) {
                    Identifier(device: $0.device, window: $0.window)
                }
                for (cell, crowd) in cells {
                    for (window, members) in Dictionary(grouping: crowd, by: \.key.window) {
                        let sorted = members.map(\.value).sorted(by: >) + [0]
                        top.append(
                            StoredTop(
                                margin: margin, cell: cell, measure: .sum(sum), window: WindowNumber(window),
                                largest: sorted[0], second: sorted[1]))
                        guard sum == 0 else { continue }
                        distinct.append(
                            StoredDistinct(
                                margin: margin, cell: cell, window: WindowNumber(window),
                                devices: Int64(members.count)))
                    }
                }
            }
        }
        return StoredCube(
            layout: layout, period: Period(kind: .day, start: .epoch, end: UnixSeconds(86_400)), counters: [],
            distinct: distinct,
            top: top)
    }

    @Test(
        "over random crowds of devices in many windows: bounds hold, are exact where counted, and what passes is safe",
        arguments: 0..<4)
    func crowds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var passed = 0
        var refused = 0
        var exactCells = 0
        for _ in 0..<150 {
            let tracked = (0..<3).map { _ in Margin(bits: .random(in: 0..<16, using: &random)) }
            let layout = Self.layout(tracking: tracked)
            let events = Self.crowd(layout, &random)
            let cube = Self.cube(events, layout)
            let percent = Int64.random(in: 0...60, using: &random)
            for margin in (0..<UInt32(16)).map({ Margin(bits: $0) }) {
                let dominance = Dominance(of: cube, margin: margin)
                for sum in 0..<2 {
                    let devices = Self.contributions(events, layout, margin, sum) { $0.device }
                    let identifiers = Self.contributions(events, layout, margin, sum) {
                        Identifier(device: $0.device, window: $0.window)
                    }
                    for (cell, crowd) in devices {
                        // X1 and X12 as somebody counts them who knows all identifiers.
                        let windows = Dictionary(grouping: identifiers[cell] ?? [:], by: \.key.window).values
                            .map { ($0.map(\.value).sorted(by: >) + [0]).prefix(2) }
                        let x1 = windows.reduce(0) { $0 + $1[0] }
                        let x12 = windows.reduce(0) { $0 + $1[0] + $1[1] }
                        let bounds = (
                            dominance.largest[sum][Int(cell.value)], dominance.twoLargest[sum][Int(cell.value)]
                        )
                        if layout.trackedMargins.contains(margin.union(layout.partition)) {
                            #expect(bounds == (x1, x12))
                            exactCells += 1
                        } else {
                            #expect(bounds.0 >= x1 && bounds.1 >= x12)
                        }
                        // The true rule, over devices.
                        let sorted = crowd.values.sorted(by: >) + [0]
                        let rest = sorted.dropFirst(2).reduce(0, +)
                        let isSafe = 100 * rest >= percent * sorted[0]
                        let here = events.filter { layout.project($0.leaf, from: layout.leaf, to: margin) == cell }
                        let passes = dominance.passes(
                            sum: sum, cell: cell, total: here.reduce(0) { $0 + $1.amounts[sum] },
                            count: Int64(here.count), percent: percent)
                        if passes {
                            passed += 1
                            #expect(isSafe)
                        } else {
                            refused += 1
                        }
                    }
                }
            }
        }
        // The claim would be empty if nothing passed, or nothing failed.
        #expect(passed > 500)
        #expect(refused > 500)
        #expect(exactCells > 500)
    }

    @Test("without the windows' largest, one device in six windows would pass for six devices")
    func manyWindows() {
        let layout = Self.layout(tracking: [])
        let events = (0..<6).map { Event(device: 0, window: $0, leaf: CellIndex(0), amounts: [10, 0]) }
        let cube = Self.cube(events, layout)
        let dominance = Dominance(of: cube, margin: .total)
        #expect(dominance.largest[0] == [60])
        #expect(!dominance.passes(sum: 0, cell: CellIndex(0), total: 60, count: 6, percent: 10))
        // The same six contributions within one window are six devices'.
        let crowd = (0..<6).map { Event(device: $0, window: 1, leaf: CellIndex(0), amounts: [10, 0]) }
        let others = Dominance(of: Self.cube(crowd, layout), margin: .total)
        #expect(others.twoLargest[0] == [20])
        #expect(others.passes(sum: 0, cell: CellIndex(0), total: 60, count: 6, percent: 10))
    }

    @Test("the rule is exact to the last unit, and holds at the bounds of 64 bits")
    func arithmetic() {
        #expect(Dominance.passes(total: 111, x1: 100, x12: 101, percent: 10))
        #expect(!Dominance.passes(total: 110, x1: 100, x12: 101, percent: 10))
        #expect(Dominance.passes(total: .max, x1: .max / 3, x12: .max / 2, percent: 100))
        #expect(!Dominance.passes(total: .min, x1: 1, x12: .max - 1, percent: .max))
        #expect(!Dominance.passes(total: .max, x1: .max, x12: .max, percent: 0))
    }

    @Test("a window of which devices were counted without their contributions lets nothing pass")
    func unknown() {
        let layout = Self.layout(tracking: [])
        let events = (0..<9).map { Event(device: $0, window: 1, leaf: CellIndex(0), amounts: [10, 0]) }
        let cube = Self.cube(events, layout)
        let partly = StoredCube(
            layout: layout, period: cube.period, counters: [],
            distinct: cube.distinct + [
                StoredDistinct(margin: layout.leaf, cell: CellIndex(0), window: WindowNumber(2), devices: 1)
            ], top: cube.top)
        for (cube, isKnown) in [(cube, true), (partly, false)] {
            let dominance = Dominance(of: cube, margin: layout.leaf)
            #expect(
                dominance.passes(sum: 0, cell: CellIndex(0), total: 90, count: 9, percent: 10) == isKnown)
            #expect((dominance.largest[0][0] == .max) == !isKnown)
            // A cell beside it is not touched.
            #expect(dominance.largest[0][1] == 0)
        }
    }

    @Test("from a request's bytes to the rule: one big spender among thirty is found out, thirty equals are not")
    func throughTheHouse() throws {
        for (big, passes) in [(100, false), (4, true)] {
            var house = try House(House.shop)
            for device in 0..<30 {
                let paid = device == 0 ? big : 3
                for category in ["cake", "bread"] {
                    let event = House.event("view", fields: #"{"category":"\#(category)","paid":\#(paid)}"#)
                    let os = device % 2 == 0 ? "ios" : "android"
                    _ = try house.post(
                        House.batch(device: "d\(device)", context: #"{"os":"\#(os)"}"#, events: event))
                }
                if device % 7 == 0 { house.flush() }
            }
            let cube = try house.cube("views")
            let category = Margin(keeping: [1])
            let dominance = Dominance(of: cube, margin: category)
            #expect(dominance.largest[0][0] == Int64(big) * 100)
            #expect(dominance.twoLargest[0][0] == Int64(big + 3) * 100)
            let total = Int64(29 * 3 + big) * 100
            // p = 100: the rest must hide the largest by as much as it is itself.
            #expect(
                dominance.passes(sum: 0, cell: CellIndex(0), total: total, count: 30, percent: 100) == passes)
        }
    }
}
