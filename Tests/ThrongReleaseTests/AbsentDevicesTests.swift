import Testing
import ThrongChance
import ThrongFaults
import ThrongPlan

@testable import ThrongRelease

@Suite("How few devices of a whole are in no event of a part is not told")
struct AbsentDevicesTests {
    private static let groupings = [[], [0], [1], [0, 1]]

    private static func town(groupings: [[Int]] = groupings) -> Town {
        Town(
            [Town.dimension("page", ["home", "help"], partitions: false), Town.dimension("os", ["ios", "android"])],
            groupings: groupings)
    }

    /// Devices that see the pages that are named, three events each.
    private struct Crowd {
        let os: Int
        let pages: Set<Int>
        let devices: Int64
    }

    private static func decide(
        _ crowds: [Crowd], groupings: [[Int]] = groupings, without faults: Set<Fault> = []
    ) throws -> Release {
        let town = town(groupings: groupings)
        var cells: [String: (events: Int64, devices: Int64)] = [:]
        for crowd in crowds {
            for page in crowd.pages {
                let name =
                    town.layout.dimensions[0].labels[page].text + " " + town.layout.dimensions[1].labels[crowd.os].text
                cells[name, default: (0, 0)].events += 3 * crowd.devices
                cells[name, default: (0, 0)].devices += crowd.devices
            }
        }
        var counters: [StoredCounter] = []
        for (name, counted) in cells.sorted(by: { $0.key < $1.key }) {
            counters.append(StoredCounter(measure: .count, cell: try town.leaf(name), value: counted.events))
        }
        // By margin, by cell, in each window: who is in it.
        var distinct: [StoredDistinct] = []
        for margin in town.layout.trackedMargins {
            var present: [CellIndex: Int64] = [:]
            for crowd in crowds {
                let reached = Set(
                    crowd.pages.map { page in
                        town.layout.project(
                            town.layout.cell(buckets: [page, crowd.os], in: town.layout.leaf), from: town.layout.leaf,
                            to: margin)
                    })
                for cell in reached { present[cell, default: 0] += crowd.devices }
            }
            let window = town.layout.rotation.window(at: Town.day(0).start)
            distinct += present.sorted { $0.key < $1.key }.map {
                StoredDistinct(margin: margin, cell: $0.key, window: window, devices: $0.value)
            }
        }
        let cube = StoredCube(
            layout: town.layout, period: Town.day(0), counters: counters.sorted { $0.cell < $1.cell },
            distinct: distinct)
        let header = town.header(Town.day(0), groupings: groupings, reach: true)
        return try Fault.with(faults) {
            try ReleaseCase(header: header, parts: [cube]).decide(ReleaseOptions(seed: 3)).release
        }
    }

    /// What a page's whole is found to have beyond it, by all sums and rests of published numbers of devices.
    private static func devices(_ release: Release, page: Int?, os: Int?) -> Int64? {
        func number(_ page: Int?, _ os: Int?) -> Int64? {
            let margin = Margin(keeping: [page.map { _ in 0 }, os.map { _ in 1 }].compactMap { $0 })
            let cell = release.header.layout.cell(buckets: [page, os].compactMap { $0 }, in: margin)
            return release.cell(cell, in: margin)?.reach?.devices
        }
        if let known = number(page, os) { return known }
        guard let os else {
            guard let ios = number(page, 0), let android = number(page, 1) else { return nil }
            return ios + android
        }
        guard let all = number(page, nil), let other = number(page, 1 - os) else { return nil }
        return all - other
    }

    private static let crowds = [
        Crowd(os: 0, pages: [0, 1], devices: 60), Crowd(os: 0, pages: [1], devices: 3),
        Crowd(os: 1, pages: [0, 1], devices: 80), Crowd(os: 1, pages: [0], devices: 30),
    ]

    @Test("three of 173 did not see the home page: nobody can tell, and how often it was seen is published")
    func few() throws {
        let naive = try Self.decide(Self.crowds, without: [.countAbsent])
        #expect(Self.devices(naive, page: nil, os: nil) == 173 && Self.devices(naive, page: 0, os: nil) == 170)

        let ours = try Self.decide(Self.crowds)
        #expect(Self.devices(ours, page: nil, os: nil) == 173)
        for os in [nil, 0, 1] {
            let (whole, part) = (Self.devices(ours, page: nil, os: os), Self.devices(ours, page: 0, os: os))
            if let whole, let part { #expect(whole - part == 0 || whole - part >= 20, "\(whole) less \(part)") }
        }
        let home = try #require(ours.cell(CellIndex(0), in: Margin(bits: 1)))
        #expect(home.count == 510 && home.reach == nil)
        // Thirty did not see the help page.
        #expect(Self.devices(ours, page: 1, os: nil) == 143)
    }

    @Test("nor where the split of the whole is not shown, so that only sums tell")
    func sums() throws {
        let groupings = [[], [0, 1]]
        let naive = try Self.decide(Self.crowds, groupings: groupings, without: [.countAbsent])
        #expect(Self.devices(naive, page: 0, os: nil) == 170)
        let ours = try Self.decide(Self.crowds, groupings: groupings)
        #expect(Self.devices(ours, page: nil, os: nil) == 173)
        #expect(Self.devices(ours, page: 0, os: nil) == nil)
    }

    @Test("twenty absent ones, or none, are told")
    func enough() throws {
        let release = try Self.decide([
            Crowd(os: 0, pages: [0, 1], devices: 60), Crowd(os: 0, pages: [1], devices: 20),
            Crowd(os: 1, pages: [0, 1], devices: 80),
        ])
        #expect(Self.devices(release, page: 0, os: nil) == 140 && Self.devices(release, page: 1, os: nil) == 160)
    }

    @Test("what the search leaves out is found by other code, and refused")
    func verified() throws {
        #expect(throws: ReleaseError.self) { try Self.decide(Self.crowds, without: [.leaveToVerification]) }
    }

    @Test("over random crowds nothing of the kind follows, and every release verifies")
    func random() throws {
        var told = 0
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            let crowds = (0..<6).map { _ in
                Crowd(
                    os: Int.random(in: 0..<2, using: &random),
                    pages: [[0], [1], [0, 1]][Int.random(in: 0..<3, using: &random)],
                    devices: [1, 3, 8, 19, 25, 60, 200][Int.random(in: 0..<7, using: &random)])
            }
            let ours = try Self.decide(crowds)
            let naive = try Self.decide(crowds, without: [.countAbsent])
            for os in [nil, 0, 1] {
                for page in [0, 1] {
                    for around in [nil, os] {
                        func absent(_ release: Release) -> Int64? {
                            Self.devices(release, page: nil, os: around).flatMap { whole in
                                Self.devices(release, page: page, os: os).map { whole - $0 }
                            }
                        }
                        if let less = absent(naive), (1..<20).contains(less) { told += 1 }
                        if let less = absent(ours) { #expect(!(1..<20).contains(less), "seed \(seed): \(less)") }
                    }
                }
            }
        }
        #expect(told > 20, "the control must be seen to fail: \(told)")
    }
}
