import Testing
import ThrongNoise
import ThrongPlan

@testable import ThrongRelease

@Suite("Margins over longer periods, and of devices that are known in them")
struct MarginSumsTests {
    private static let systems: [BucketLabel] = ["ios", "android"]
    private static let town = Town(
        [Town.dimension("os", systems)], groupings: [[], [0]], firstPeriods: [.day, .week], bound: 10)

    private static func secret(_ number: Int) -> DrawSecret {
        DrawSecret(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number &* 29 &+ $0) })
    }

    /// 400 devices a day, of which 300 come for the first time of the day, and 100 of the week.
    private static func cube(_ day: Int) throws -> StoredCube {
        let days = try #require(town.layout.firsts?.places(of: .day)).lowerBound
        let weeks = try #require(town.layout.firsts?.places(of: .week)).lowerBound
        func firsts(_ day: Int64, _ week: Int64) -> [Int: Int64] {
            [days: day, days + 1: day, weeks: week, weeks + 1: week]
        }
        return try town.cube(
            day,
            [
                "ios": .init(events: 900, devices: 300, firsts: firsts(200, 70)),
                "android": .init(events: 200, devices: 100, firsts: firsts(100, 30)),
            ])
    }

    private static func release(
        _ period: Period, _ cubes: [StoredCube], earlier: [Release] = [], threshold: Int64 = 20,
        reach: Bool = true, secret number: Int
    ) throws -> ReleaseDecision {
        let plain = town.header(period, groupings: [[], [0]], reach: reach)
        let header = ReleaseHeader(
            layout: plain.layout, period: period, plan: plain.plan, threshold: Threshold(devices: threshold),
            sampling: 1,
            reach: reach, groupings: plain.groupings)
        let evidence = ReleaseEvidence(layout: town.layout, period: period, parts: cubes, earlier: earlier)
        return try MarginCase(header: header, on: evidence).decide(secret: secret(number))
    }

    @Test("a week's events are the sum of what was drawn for its days, but for rounding, and cost nothing")
    func sums() throws {
        var farthest: Int64 = 0
        for number in 0..<40 {
            let cubes = try (0..<7).map { try Self.cube($0) }
            let days = try cubes.enumerated().map { day, cube in
                try Self.release(Town.day(day), [cube], reach: false, secret: number).release
            }
            let week = try Self.release(Town.week, cubes, earlier: days, reach: false, secret: number).release
            for place: [DimensionName: BucketLabel] in [[:], ["os": "ios"], ["os": "android"]] {
                let sum = try days.reduce(0) { $0 + (try #require($1.cell(place)).count) }
                farthest = max(farthest, abs(sum - (try #require(week.cell(place)).count)))
            }
            let (total, day) = (
                try #require(week.header.margin(of: .total)), try #require(days[0].header.margin(of: .total))
            )
            // The kept layer adds up seven times, the fresh one √7 times: √56 in the place of √2.
            #expect((5.0...5.6).contains(Double(total) / Double(day)), "\(total) \(day)")
        }
        // Each day's numbers are whole by themselves.
        #expect(farthest <= 7, "\(farthest)")
    }

    @Test("a sum draws each day as it was released, though k was raised since")
    func raised() throws {
        let cubes = try (0..<2).map { try Self.cube($0) }
        let days = try [
            Self.release(Town.day(0), [cubes[0]], reach: false, secret: 3),
            Self.release(Town.day(1), [cubes[1]], threshold: 50, reach: false, secret: 3),
        ].map(\.release)
        let week = try Self.release(Town.week, cubes, earlier: days, threshold: 50, reach: false, secret: 3).release
        let sum = try days.reduce(0) { $0 + (try #require($1.cell([:])).count) }
        #expect(abs(sum - (try #require(week.cell([:])).count)) <= 2)
    }

    @Test("devices that clients say are drawn for their own period, and add up over systems")
    func firsts() throws {
        var (within, all) = (0, 0)
        for number in 0..<60 {
            let cubes = try (0..<7).map { try Self.cube($0) }
            let days = try cubes.enumerated().map { day, cube in
                try Self.release(Town.day(day), [cube], secret: number).release
            }
            let week = try Self.release(Town.week, cubes, earlier: days, secret: number).release
            for (release, truth) in [(days[2], (Int64(200), Int64(100))), (week, (490, 210))] {
                let (ios, android) = (release.cell(["os": "ios"])?.firsts, release.cell(["os": "android"])?.firsts)
                let total = release.cell([:])?.firsts
                #expect(try #require(ios) + (try #require(android)) == total)
                #expect(release.cell([:])?.reach == nil)
                let margin = try #require(release.header.deviceMargin(of: Margin(keeping: [0])))
                within += abs((ios ?? 0) - truth.0) <= margin ? 1 : 0
                within += abs((android ?? 0) - truth.1) <= margin ? 1 : 0
                all += 2
            }
        }
        #expect(Double(within) / Double(all) > 0.9, "\(within) of \(all)")
    }
}
