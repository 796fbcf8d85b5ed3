import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("What others count in a window that they took over under way gives no number of devices away")
struct TakenOverTests {
    /// A day of two countries, with what was counted in a window that a second daemon took over.
    ///
    /// - Parameter taken: identifiers in it, by country.
    private static func release(rotation: Int64, taken: [String: Int64]) throws -> Release {
        let town = Town(
            [Town.dimension("country", ["at", "de", "li"])], groupings: [[], [0]], rotation: Rotation(seconds: rotation)
        )
        let cube = try town.cube(
            0,
            [
                "at": .init(events: 400, devices: 60), "de": .init(events: 300, devices: 50),
                "li": .init(events: 90, devices: 30),
            ])
        let window = town.layout.rotation.window(at: Town.day(0).start).taken(over: 3)
        let distinct = try taken.sorted { $0.key < $1.key }.map {
            StoredDistinct(margin: town.layout.leaf, cell: try town.leaf($0.key), window: window, devices: $0.value)
        }
        let both = StoredCube(
            layout: town.layout, period: cube.period, counters: cube.counters, distinct: cube.distinct + distinct)
        let header = town.header(Town.day(0), groupings: [[], [0]], reach: true)
        return try ReleaseCase(header: header, parts: [both]).decide(ReleaseOptions(seed: 3)).release
    }

    private static func reach(_ release: Release, _ country: Int) -> Int64? {
        release.cell(CellIndex(UInt32(country)), in: Margin(keeping: [0]))?.reach?.devices
    }

    @Test("where a window holds the whole period, a release is what it is without the other window")
    func one() throws {
        let alone = try Self.release(rotation: 86_400, taken: [:])
        #expect((0..<3).map { Self.reach(alone, $0) } == [60, 50, 30])
        // The second window would show all but Liechtenstein's three, and its total less the others is three.
        #expect(try Self.release(rotation: 86_400, taken: ["at": 80, "de": 70, "li": 3]) == alone)
    }

    @Test("where several windows do, the largest counts, whoever counted in it")
    func several() throws {
        let alone = try Self.release(rotation: 3600, taken: [:])
        let both = try Self.release(rotation: 3600, taken: ["at": 80, "de": 70, "li": 3])
        #expect(alone.cells != both.cells)
        #expect(Self.reach(both, 0) == 80 && Self.reach(both, 2) == 30)
    }

    /// Which of three systems a day publishes, of whose window a part was taken over.
    private static func published(taken: Int64?) throws -> Set<String> {
        let town = Town(
            [Town.dimension("os", ["ios", "android", "web"])], groupings: [[], [0]], bound: 100)
        let cube = try town.cube(
            0,
            [
                "ios": .init(events: 219, devices: 20), "android": .init(events: 900, devices: 300),
                "web": .init(events: 900, devices: 300),
            ])
        let window = town.layout.rotation.window(at: Town.day(0).start).taken(over: 3)
        let more = try taken.map {
            [StoredDistinct(margin: town.layout.leaf, cell: try town.leaf("ios"), window: window, devices: $0)]
        }
        let both = StoredCube(
            layout: town.layout, period: cube.period, counters: cube.counters, distinct: cube.distinct + (more ?? []))
        let release = try ReleaseCase(header: town.header(Town.day(0), groupings: [[], [0]]), parts: [both])
            .decide().release
        let labels = town.layout.dimensions[0].labels
        return Set(release.cells.filter { $0.margin != .total }.map { labels[Int($0.cell.value)].text })
    }

    @Test("one device may have sent as much as the plan lets it to both daemons: 100 and 100 of 219 events")
    func bound() throws {
        #expect(try Self.published(taken: nil).contains("ios"))
        #expect(try !Self.published(taken: 1).contains("ios"))
    }
}
