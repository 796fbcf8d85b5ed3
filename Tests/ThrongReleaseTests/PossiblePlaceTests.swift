import Testing
import ThrongPlan
import ThrongSuppression
import ThrongWire

@testable import ThrongRelease

@Suite("Promise 5: no proof puts anybody into buckets of one field that exclude each other")
struct PossiblePlaceTests {
    private static let town = Town(
        [Town.dimension("os", ["ios", "android", "other"]), Town.dimension("platform", ["ios", "android", "other"])],
        groupings: [[], [0], [1]])

    private static func mayHold(_ first: Int32, _ second: Int32, origins: DimensionOrigins) throws -> Bool {
        let cubes = [try town.cube(0, ["ios ios": .init(events: 50, devices: 30)])]
        let table = try CaseTable(
            ReleaseCase(
                header: town.header(Town.day(0), groupings: [[], [0], [1]]), parts: cubes, origins: origins),
            options: ReleaseOptions())
        var place = try #require(table.problem.grid).places[0]
        (place[0], place[1]) = (first, second)
        return try #require(table.problem.grid).isPossible(place)
    }

    private static func origin(_ field: FieldName) -> Set<DimensionOrigin> {
        let groups = ["ios", "android"].map { BucketGroup(label: BucketLabel($0), values: [$0]) }
        return [DimensionOrigin(field: field, rule: .list(groups))]
    }

    @Test("attack 39: one rule under two names, in one metric")
    func sameField() throws {
        let origins: DimensionOrigins = ["os": Self.origin("system"), "platform": Self.origin("system")]
        #expect(try Self.mayHold(1, 1, origins: origins))
        #expect(try !Self.mayHold(0, 1, origins: origins))
        #expect(try !Self.mayHold(0, 2, origins: origins))
    }

    @Test("dimensions of two fields exclude nothing, nor do those of which nobody kept what they are made from")
    func otherFields() throws {
        #expect(try Self.mayHold(0, 1, origins: ["os": Self.origin("system"), "platform": Self.origin("claimed")]))
        #expect(try Self.mayHold(0, 1, origins: [:]))
    }
}
