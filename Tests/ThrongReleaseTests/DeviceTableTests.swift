import Testing
import ThrongPlan
import ThrongSuppression

@testable import ThrongRelease

@Suite("published numbers of devices are a table of their own")
struct DeviceTableTests {
    private static let groupings: [[Int]] = [[], [0]]
    private static let town = Town([Town.dimension("os", ["ios", "android", "windows"])], groupings: groupings)

    private static func tables(
        _ cells: [String: Town.Counted], in town: Town = town, reach: Bool = true, windows: Int64 = 1,
        days: Int = 1, groupings: [[Int]] = groupings
    ) throws -> (tables: [DeviceTable], laid: CaseTable) {
        let cubes = try (0..<days).map { try town.cube($0, cells, windows: windows) }
        let period = days == 1 ? Town.day(0) : Town.week
        let header = town.header(period, groupings: groupings, reach: reach)
        let laid = try CaseTable(ReleaseCase(header: header, parts: cubes), options: ReleaseOptions(seed: 1))
        return (try DeviceTable.all(of: laid, header: header), laid)
    }

    /// The systems that are hidden where all but one are published.
    private static func hidden(
        _ cells: [String: Town.Counted], publishing labels: [String], windows: Int64 = 1
    ) throws -> [String] {
        let (tables, laid) = try tables(cells, windows: windows)
        let table = try #require(tables.first)
        let shown = try Set(labels.map { try town.leaf($0) })
        let isPublished = laid.origins.map { origin in
            guard let origin else { return false }
            let slab = laid.slabs[origin.slab]
            return slab.margin == .total || shown.contains(slab.cells[origin.place])
        }
        let engine = SuppressionEngine(options: ReleaseOptions(seed: 1).engine)
        return try table.decide(given: isPublished, engine: engine).hidden.compactMap { column in
            guard let origin = laid.origins[Int(column.value)] else { return nil }
            let slab = laid.slabs[origin.slab]
            return slab.margin == .total
                ? "all" : town.layout.dimensions[0].labels[Int(slab.cells[origin.place].value)].text
        }
    }

    @Test("a published number leaves two hidden ones that have twenty together: it would say that neither has more")
    func tight() throws {
        let cells: [String: Town.Counted] = [
            "ios": .init(events: 1000, devices: 75), "android": .init(events: 500, devices: 5),
            "windows": .init(events: 500, devices: 15),
        ]
        #expect(try Self.hidden(cells, publishing: ["ios"]) == ["ios"])
        // Nor does it help that some came too late for the day before, whose window is a second one.
        #expect(try Self.hidden(cells, publishing: ["ios"], windows: 2) == ["ios"])
    }

    @Test("with one device more, either of them may have k and one, and nothing is hidden")
    func loose() throws {
        let cells: [String: Town.Counted] = [
            "ios": .init(events: 1000, devices: 75), "android": .init(events: 500, devices: 6),
            "windows": .init(events: 500, devices: 15),
        ]
        #expect(try Self.hidden(cells, publishing: ["ios"]).isEmpty)
    }

    @Test("what is not published already is not hidden anew")
    func already() throws {
        let cells: [String: Town.Counted] = [
            "ios": .init(events: 1000, devices: 75), "android": .init(events: 500, devices: 5),
            "windows": .init(events: 500, devices: 15),
        ]
        #expect(try Self.hidden(cells, publishing: []).isEmpty)
    }

    @Test(
        "where devices do not add up there is no table: no reach, several windows, several days, nothing that partitions"
    )
    func none() throws {
        let cells = ["ios": Town.Counted(events: 100, devices: 30), "android": .init(events: 100, devices: 30)]
        #expect(try Self.tables(cells).tables.count == 1)
        #expect(try Self.tables(cells, reach: false).tables.isEmpty)
        let hourly = Town(
            [Town.dimension("os", ["ios", "android"])], groupings: Self.groupings, rotation: Rotation(seconds: 3600))
        #expect(try Self.tables(cells, in: hourly, windows: 2).tables.isEmpty)
        #expect(try Self.tables(cells, days: 2).tables.isEmpty)
        #expect(try Self.tables(cells, groupings: [[0]]).tables.isEmpty, "one grouping is no split of another")
        let channels = Town(
            [Town.dimension("os", ["ios", "android"], partitions: false)], groupings: Self.groupings)
        #expect(try Self.tables(cells, in: channels).tables.isEmpty)
    }

    @Test("groupings with the same of the other dimensions are one table, others another")
    func families() throws {
        let groupings = [[], [0], [1], [0, 1]]
        let town = Town(
            [Town.dimension("os", ["ios", "android"]), Town.dimension("page", ["home", "cart"], partitions: false)],
            groupings: groupings)
        let cells = [
            "ios home": Town.Counted(events: 100, devices: 30), "android cart": .init(events: 90, devices: 30),
        ]
        #expect(try Self.tables(cells, in: town, groupings: groupings).tables.count == 2)
        #expect(try Self.tables(cells, in: town, groupings: [[], [0], [1]]).tables.count == 1)
    }
}
