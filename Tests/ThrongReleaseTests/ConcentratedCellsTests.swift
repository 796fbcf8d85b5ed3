import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("a group whose devices all sit in one bucket of a sensitive dimension")
struct ConcentratedCellsTests {
    private static let groupings: [[Int]] = [[], [0], [1], [0, 1]]

    private static func town(_ impossible: [ImpossibleCombination] = []) -> Town {
        Town(
            [Town.dimension("school", ["a", "b"]), Town.dimension("test", ["positive", "negative", "void"])],
            groupings: groupings, impossible: impossible)
    }

    private static func found(
        _ days: [[String: Town.Counted]], in town: Town = town(), sensitive: [DimensionName] = ["test"],
        groupings: [[Int]] = groupings
    ) throws -> (siblings: [Set<CellIndex>], complements: [[CellIndex]]) {
        let cubes = try days.enumerated().map { try town.cube($0, $1) }
        let period = days.count == 1 ? Town.day(0) : Town.week
        let release = ReleaseCase(
            header: town.header(period, groupings: groupings, sensitive: sensitive), parts: cubes)
        let cells = ConcentratedCells(in: release)
        let frame = ReleaseFrame(release.parts, layout: town.layout, unknown: cells.siblings)
        return (cells.siblings, cells.complements(in: frame).map { $0.map { frame.leaves[Int($0)].cell } })
    }

    private static let crowd = Town.Counted(events: 300, devices: 100)

    @Test("its empty leaves take part as unknowns, and their sum must not be proved small")
    func concentrated() throws {
        let town = Self.town()
        let found = try Self.found([["a positive": Self.crowd, "b positive": Self.crowd, "b negative": Self.crowd]])
        let others = try [town.leaf("a negative"), town.leaf("a void")]
        #expect(found.siblings == [Set(others)])
        #expect(found.complements == [others.sorted()])
    }

    @Test("the whole crowd is a group, too")
    func everyone() throws {
        let found = try Self.found([["a positive": Self.crowd, "b positive": Self.crowd]], groupings: [[], [1]])
        #expect(found.siblings.map(\.count) == [4])
        #expect(found.complements.map(\.count) == [4])
    }

    @Test("devices in two buckets are no such group, and neither is a group that names the bucket itself")
    func spread() throws {
        let spread = try Self.found([["a positive": Self.crowd, "a void": Self.crowd]], groupings: [[0]])
        #expect(spread.siblings == [[]])
        let named = try Self.found([["a positive": Self.crowd]], groupings: [[1], [0, 1]])
        #expect(named.siblings == [[]])
        let plain = try Self.found([["a positive": Self.crowd]], sensitive: [])
        #expect(plain.siblings == [[]])
        #expect(plain.complements.isEmpty)
    }

    @Test("a bucket that the plan rules out for the group is no place where somebody could be")
    func impossible() throws {
        let ruledOut = ImpossibleCombination(parts: [
            .init(dimension: "school", bucket: "a"), .init(dimension: "test", bucket: "void"),
        ])
        let town = Self.town([ruledOut])
        let found = try Self.found([["a positive": Self.crowd]], in: town, groupings: [[0]])
        #expect(found.siblings == [[try town.leaf("a negative")]])
    }

    @Test("each day is looked at by itself, and all of them together")
    func days() throws {
        let found = try Self.found(
            [["a positive": Self.crowd], ["a negative": Self.crowd]], groupings: [[0]])
        // One bucket on each day, two in the week.
        #expect(found.siblings.map(\.count) == [2, 2])
        #expect(found.complements.count == 2)
        let same = try Self.found([["a positive": Self.crowd], ["a positive": Self.crowd]], groupings: [[0]])
        #expect(same.complements.map(\.count).sorted() == [2, 2, 4])
    }

    @Test("of such a group and its bucket one number at most is released; of a group in two buckets both are")
    func released() throws {
        func release(_ cells: [String: Town.Counted], sensitive: [DimensionName]) throws -> Release {
            let header = Self.town().header(Town.day(0), groupings: Self.groupings, sensitive: sensitive)
            return try ReleaseCase(header: header, parts: [try Self.town().cube(0, cells)])
                .decide(ReleaseOptions(seed: 1)).release
        }
        let cells = ["a positive": Self.crowd, "b positive": Self.crowd, "b negative": Self.crowd]
        func both(_ release: Release) -> [Bool] {
            [release.cell(["school": "a"]) != nil, release.cell(["school": "a", "test": "positive"]) != nil]
        }
        #expect(try both(release(cells, sensitive: [])) == [true, true], "the control")
        #expect(try both(release(cells, sensitive: ["test"])).contains(false))
        let spread = try release(cells.merging(["a negative": Self.crowd]) { $1 }, sensitive: ["test"])
        #expect(both(spread) == [true, true])
    }
}
