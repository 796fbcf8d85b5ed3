import Testing
import ThrongChance
import ThrongFaults
import ThrongPlan
import ThrongSuppression

@testable import ThrongRelease

@Suite("What clients say of their firsts is released beside the floor, and gives no hidden cell away")
struct FirstsTests {
    private static let groupings: [[Int]] = [[], [0]]
    private static let town = Town(
        [Town.dimension("os", ["ios", "android", "windows"])], groupings: groupings, firstPeriods: [.day, .week])

    /// Firsts of both groupings by day and by week: they agree, as a device has one system.
    private static func said(day: Int64, week: Int64) -> [Int: Int64] { [0: day, 1: day, 2: week, 3: week] }

    private static func published(_ release: Release) -> [String: Int64?] {
        var found: [String: Int64?] = [:]
        for cell in release.cells {
            let name =
                cell.margin == .total ? "all" : release.header.layout.dimensions[0].labels[Int(cell.cell.value)].text
            found[name] = .some(cell.firsts)
        }
        return found
    }

    @Test("a day's are the day's firsts, a week's the week's, over the days' leaves; the floor stands beside them")
    func sums() throws {
        let town = Self.town
        let days = try (0..<3).map { day in
            try town.cube(
                day,
                [
                    "ios": .init(events: 900, devices: 90, firsts: Self.said(day: 110, week: day == 0 ? 110 : 15)),
                    "android": .init(events: 500, devices: 40, firsts: Self.said(day: 60, week: day == 0 ? 60 : 5)),
                    "windows": .init(events: 300, devices: 30, firsts: Self.said(day: 45, week: 25)),
                ], windows: 2)
        }
        let daily = try days.enumerated().map { day, cube in
            try ReleaseCase(header: town.header(Town.day(day), groupings: Self.groupings, reach: true), parts: [cube])
                .decide(ReleaseOptions(seed: 1)).release
        }
        for release in daily {
            #expect(Self.published(release) == ["all": 215, "ios": 110, "android": 60, "windows": 45])
            #expect(release.cell(CellIndex(0), in: Margin(bits: 1))?.reach == DeviceFloor(devices: 90))
        }
        let header = town.header(Town.week, groupings: Self.groupings, reach: true)
        let week = try ReleaseCase(header: header, parts: days, earlier: daily).decide(ReleaseOptions(seed: 1)).release
        #expect(Self.published(week) == ["all": 285, "ios": 140, "android": 70, "windows": 75])
    }

    @Test(
        "without reach, or where a length of time is not asked for, there are none, and the digest is the same as ever")
    func none() throws {
        let cells = ["ios": Town.Counted(events: 900, devices: 90, firsts: Self.said(day: 110, week: 110))]
        let cube = try Self.town.cube(0, cells)
        let header = Self.town.header(Town.day(0), groupings: Self.groupings)
        let release = try ReleaseCase(header: header, parts: [cube]).decide(ReleaseOptions(seed: 1)).release
        #expect(release.cells.allSatisfy { $0.firsts == nil } && !release.cells.isEmpty)
        let hourly = Town(
            [Town.dimension("os", ["ios", "android", "windows"])], groupings: Self.groupings, firstPeriods: [.week])
        #expect(!hourly.header(Town.day(0), groupings: Self.groupings, reach: true).hasFirsts)
        #expect(hourly.header(Town.week, groupings: Self.groupings, reach: true).hasFirsts)
    }

    @Test("a cell that fewer than k devices say to be in is withheld, however many its floor proves")
    func few() throws {
        for (said, isPublished) in [(Int64(20), true), (19, false), (0, false)] {
            let cells: [String: Town.Counted] = [
                "ios": .init(events: 900, devices: 90, firsts: Self.said(day: 900, week: 900)),
                "android": .init(events: 900, devices: 90, firsts: Self.said(day: 800, week: 800)),
                "windows": .init(events: 500, devices: 40, firsts: Self.said(day: said, week: 100)),
            ]
            let header = Self.town.header(Town.day(0), groupings: Self.groupings, reach: true)
            let decision = try ReleaseCase(header: header, parts: [try Self.town.cube(0, cells)])
                .decide(ReleaseOptions(seed: 1))
            let found = Self.published(decision.release)
            #expect((found["windows"] != nil) == isPublished, "\(said)")
            if !isPublished {
                #expect(found.count < 3, "and another with it, or it would follow")
                #expect(
                    decision.withheld.contains { $0.reason == .fewFirsts(said) })
            }
        }
    }

    /// The week's firsts of a cell, as counted.
    private static func said(
        _ days: [StoredCube], _ cell: CellIndex, _ margin: Margin, in layout: MetricLayout
    ) -> Int64 {
        guard let firsts = layout.firsts, let grouping = firsts.groupings.firstIndex(of: margin) else { return 0 }
        let measure = layout.measure(ofFirst: firsts.place(period: 1, grouping: grouping))
        return days.flatMap(\.counters).filter {
            $0.measure == measure && layout.project($0.cell, from: layout.leaf, to: margin) == cell
        }.reduce(0) { $0 + $1.value }
    }

    /// Which systems are hidden for the firsts' sake where those labels and the total are published so far.
    private static func hidden(_ cells: [String: Town.Counted], publishing labels: [String]) throws -> [String] {
        // Two windows, so that floors are no table; three days, so that firsts are added up.
        let cubes = try (0..<3).map { try town.cube($0, cells, windows: 2) }
        let header = town.header(Town.week, groupings: groupings, reach: true)
        let laid = try CaseTable(ReleaseCase(header: header, parts: cubes), options: ReleaseOptions(seed: 1))
        let tables = try DeviceTable.all(of: laid, header: header)
        #expect(tables.count == 1)
        let shown = try Set(labels.map { try town.leaf($0) })
        let isPublished = laid.origins.map { origin in
            guard let origin, laid.own.contains(origin.slab) else { return false }
            let slab = laid.slabs[origin.slab]
            return slab.margin == .total || shown.contains(slab.cells[origin.place])
        }
        let found = try #require(tables.first).decide(
            given: isPublished, engine: SuppressionEngine(options: ReleaseOptions(seed: 1).engine))
        #expect(found.faults == 0)
        return found.hidden.compactMap { column in
            guard let origin = laid.origins[Int(column.value)] else { return nil }
            let slab = laid.slabs[origin.slab]
            return slab.margin == .total
                ? "all" : town.layout.dimensions[0].labels[Int(slab.cells[origin.place].value)].text
        }
    }

    @Test("a published number leaves two hidden ones that have twenty together over the week: it is hidden, too")
    func tight() throws {
        // A day each of three; the events alone would let it go.
        let cells: [String: Town.Counted] = [
            "ios": .init(events: 1000, devices: 75, firsts: Self.said(day: 75, week: 25)),
            "android": .init(events: 500, devices: 6, firsts: Self.said(day: 6, week: 2)),
            "windows": .init(events: 500, devices: 7, firsts: Self.said(day: 14, week: 4)),
        ]
        // 6 and 12 are hidden; 18 is what is left.
        #expect(try Self.hidden(cells, publishing: ["ios"]) == ["ios"])
        let looser = cells.merging(
            ["windows": .init(events: 500, devices: 7, firsts: Self.said(day: 14, week: 5))]
        ) { $1 }
        #expect(try Self.hidden(looser, publishing: ["ios"]).isEmpty, "6 and 15: either may be twenty-one")
    }

    @Test(
        "every total less what is published beside it leaves k and more, or nothing, over random weeks",
        arguments: 0..<12)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let labels: [BucketLabel] = ["a", "b", "c", "d", "e"]
        let town = Town(
            [Town.dimension("os", labels), Town.dimension("page", ["x", "y", "z"], partitions: false)],
            groupings: [[], [0], [1], [0, 1]], firstPeriods: [.day, .week])
        // By grouping: total 0, os 1, page 2, both 3; by week they follow.
        var days: [StoredCube] = []
        for day in 0..<2 {
            var cells: [String: Town.Counted] = [:]
            for os in labels {
                for page in ["x", "y", "z"] where Int.random(in: 0..<5, using: &random) > 0 {
                    let devices = Int64.random(in: 1...40, using: &random)
                    let both = devices + .random(in: 0...20, using: &random)
                    // Of the first event of a device in the total and in its system, one page has it.
                    let own = Int64.random(in: 0...both, using: &random)
                    let events = both * 3
                    var firsts: [Int: Int64] = [0: own, 1: own, 2: both, 3: both]
                    for (place, number) in firsts { firsts[place + 4] = day == 0 ? number : number / 2 }
                    cells["\(os) \(page)"] = .init(events: events, devices: devices, firsts: firsts)
                }
            }
            days.append(try town.cube(day, cells, windows: 2))
        }
        let header = town.header(Town.week, groupings: [[], [0], [1], [0, 1]], reach: true)
        let release = try ReleaseCase(header: header, parts: days).decide(ReleaseOptions(seed: seed)).release
        #expect(release.cells.allSatisfy { $0.firsts.map { $0 >= 20 } ?? true })
        let naive = try Fault.with([.countAbsent]) {
            try ReleaseCase(header: header, parts: days).decide(ReleaseOptions(seed: seed)).release
        }
        // What a page's firsts leave of the total's stays untold; nothing else is withheld for it.
        #expect(release.cells.map(\.count) == naive.cells.map(\.count))
        #expect(release.cells.count { $0.firsts != nil } > 3)
        // os adds up to the total, and (os, page) to page.
        for (whole, part) in [(Margin.total, Margin(bits: 1)), (Margin(bits: 2), Margin(bits: 3))] {
            for cell in release.cells where cell.margin == whole && cell.firsts != nil {
                let parts = release.cells.filter {
                    $0.margin == part && $0.firsts != nil
                        && town.layout.project($0.cell, from: part, to: whole) == cell.cell
                }
                let rest = try #require(cell.firsts) - parts.compactMap(\.firsts).reduce(0, +)
                let count = cell.count - parts.map(\.count).reduce(0, +)
                #expect(
                    rest == 0 && count == 0 || rest >= 20, "\(rest) devices and \(count) events are left of \(cell)")
                // Of each small cell that is hidden here a reader can't say that it has fewer than k.
                let published = Set(parts.map(\.cell))
                let hidden = (0..<UInt32(town.layout.size(of: part))).map { CellIndex($0) }.filter {
                    town.layout.project($0, from: part, to: whole) == cell.cell && !published.contains($0)
                }
                let said = hidden.map { Self.said(days, $0, part, in: town.layout) }
                if said.contains(where: { (1..<20).contains($0) }) {
                    #expect(rest > 20, "\(said) are hidden together")
                }
            }
        }
    }
}
