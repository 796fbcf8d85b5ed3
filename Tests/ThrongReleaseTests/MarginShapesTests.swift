import Testing
import ThrongNoise
import ThrongPlan

@testable import ThrongRelease

@Suite("Margins where windows, coarser dimensions and missing identifiers are")
struct MarginShapesTests {
    private static func secret(_ number: Int) -> DrawSecret {
        DrawSecret(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) })
    }

    private static func drawn(
        _ town: Town, _ cube: StoredCube, _ groupings: [[Int]], secret number: Int
    ) throws -> Release {
        let header = town.header(cube.period, groupings: groupings, reach: true)
        let evidence = ReleaseEvidence(layout: town.layout, period: cube.period, parts: [cube])
        return try MarginCase(header: header, on: evidence).decide(secret: secret(number)).release
    }

    @Test("numbers by a dimension that is made of another's buckets are sums, and their margins say how wide those are")
    func coarser() throws {
        let systems = (0..<8).map { BucketLabel("s\($0)") }
        let town = Town(
            [
                Town.dimension("os", systems),
                Town.dimension(
                    "family", ["few", "many"], of: .init(place: 0, buckets: [0, 0, 1, 1, 1, 1, 1, 1])),
            ], groupings: [[], [1]])
        let cube = try town.cube(
            0, Dictionary(uniqueKeysWithValues: systems.map { ($0.text, .init(events: 400, devices: 100)) }))
        var (within, all) = (0, 0)
        for number in 0..<200 {
            let release = try Self.drawn(town, cube, [[], [1]], secret: number)
            let (few, many) = (release.cell(["family": "few"]), release.cell(["family": "many"]))
            let sum = try #require(few?.reach?.devices) + (many?.reach?.devices ?? 0)
            #expect(sum == release.cell([:])?.reach?.devices)
            let margin = try #require(release.header.deviceMargin(of: Margin(keeping: [1])))
            for (cell, truth) in [(few, Int64(200)), (many, 600)] {
                within += abs((cell?.reach?.devices ?? 0) - truth) <= margin ? 1 : 0
                all += 1
            }
            // Of two or of six of eight: √(2·25·(1/16 + 8/7·(2 − 1/2))), and 1.96 times that.
            #expect((18...22).contains(margin), "\(margin)")
        }
        #expect(Double(within) / Double(all) > 0.93, "\(within) of \(all)")
    }

    @Test("of several windows the busiest is told, so that devices add up; a number is shown where any window shows it")
    func windows() throws {
        let town = Town(
            [Town.dimension("os", ["ios", "android"])], groupings: [[], [0]], rotation: Rotation(seconds: 3600))
        let first = town.layout.rotation.window(at: Town.day(0).start).value
        func row(_ cell: UInt32, _ window: Int64, _ devices: Int64) -> StoredDistinct {
            StoredDistinct(
                margin: town.layout.leaf, cell: CellIndex(cell), window: WindowNumber(first + window), devices: devices)
        }
        // In the third window there are 700 devices, of which android has fewest.
        let cube = StoredCube(
            layout: town.layout, period: Town.day(0),
            counters: [0, 1].map { StoredCounter(measure: .count, cell: CellIndex($0), value: 2000) },
            distinct: [row(0, 0, 100), row(1, 0, 90), row(0, 2, 690), row(1, 2, 10), row(0, 5, 50), row(1, 5, 80)])
        for number in 0..<300 {
            let release = try Self.drawn(town, cube, [[], [0]], secret: number)
            let total = try #require(release.cell([:])?.reach?.devices)
            #expect((660...740).contains(total))
            #expect((650...730).contains(try #require(release.cell(["os": "ios"])?.reach?.devices)))
            // Proved and drawn in another window, of which no number of devices is told.
            #expect(try #require(release.cell(["os": "android"])).reach == nil)
        }
        // 22 against 20 and the margin: proved in two windows, and drawn as enough in neither, but for the noise's tail.
        let few = StoredCube(
            layout: town.layout, period: Town.day(0), counters: cube.counters,
            distinct: [row(0, 0, 100), row(1, 0, 22), row(0, 2, 690), row(1, 2, 10), row(1, 5, 22)])
        var shown = 0
        for number in 0..<300 where try Self.drawn(town, few, [[], [0]], secret: number).cell(["os": "android"]) != nil
        {
            shown += 1
        }
        // Two windows, each with a chance of a few in a hundred.
        #expect(shown <= 40, "\(shown)")
    }

    @Test("without identifiers k counts events, as many times as one may count")
    func withoutIdentifiers() throws {
        let town = Town([Town.dimension("page", ["home", "rare"], partitions: false)], groupings: [[], [0]])
        let layout = MetricLayout(
            app: "town", metric: "visits", purpose: "product", rotation: Rotation(seconds: 86_400), period: .day,
            timeZone: "UTC", dimensions: town.layout.dimensions, sums: [], contributionBound: 1,
            groupings: [.total, Margin(keeping: [0])], hasIdentifiers: false)
        let cube = StoredCube(
            layout: layout, period: Town.day(0),
            counters: [
                StoredCounter(measure: .count, cell: CellIndex(0), value: 900),
                StoredCounter(measure: .count, cell: CellIndex(1), value: 15),
            ], distinct: [])
        for number in 0..<40 {
            let header = ReleaseHeader(
                layout: layout, period: cube.period, plan: PlanVersion(hex: String(repeating: "5e", count: 32)),
                threshold: .standard, sampling: 1, reach: false, groupings: [.total, Margin(keeping: [0])])
            let release = try MarginCase(
                header: header, on: ReleaseEvidence(layout: layout, period: cube.period, parts: [cube])
            ).decide(secret: Self.secret(number)).release
            #expect(release.cell(["page": "rare"]) == nil)
            #expect((865...935).contains(try #require(release.cell(["page": "home"])?.count)))
            #expect(release.cells.allSatisfy { $0.reach == nil })
            #expect(release.header.deviceMargin(of: .total) == nil)
        }
    }

    @Test(
        "identifiers that are counted in several windows are none of the devices of the busiest one, and have noise of their own"
    )
    func identifiers() throws {
        func drawn(_ rotation: Int64, _ secret: Int, day: Int = 0) throws -> (identifiers: Int64, devices: Int64) {
            let layout = MetricLayout(
                app: "town", metric: "often", purpose: "product", rotation: Rotation(seconds: rotation), period: .day,
                timeZone: "UTC", dimensions: [Town.dimension("times", ["1", "2"])], sums: [], contributionBound: 1,
                groupings: [.total], within: .frequency(bands: [1, 2]))
            let first = layout.rotation.window(at: Town.day(day).start).value
            let windows = rotation == 86_400 ? [Int64(400)] : [400, 300]
            let cube = StoredCube(
                layout: layout, period: Town.day(day),
                counters: [StoredCounter(measure: .count, cell: CellIndex(0), value: windows.reduce(0, +))],
                distinct: windows.enumerated().map {
                    StoredDistinct(
                        margin: layout.leaf, cell: CellIndex(0), window: WindowNumber(first + Int64($0.offset)),
                        devices: $0.element)
                })
            let header = ReleaseHeader(
                layout: layout, period: cube.period, plan: PlanVersion(hex: String(repeating: "5e", count: 32)),
                threshold: .standard, sampling: 1, reach: true, groupings: [.total])
            let release = try MarginCase(
                header: header, on: ReleaseEvidence(layout: layout, period: cube.period, parts: [cube])
            ).decide(secret: Self.secret(secret)).release
            let cell = try #require(release.cell([:]))
            return (cell.count, try #require(cell.reach?.devices))
        }
        var squares = 0.0
        for secret in 0..<60 {
            let one = try drawn(86_400, secret)
            #expect(one.identifiers == one.devices, "one window: one question")
            let mean = try (0..<6).reduce(0.0) { sum, day in
                let several = try drawn(3600, secret, day: day)
                return sum + Double(several.identifiers - several.devices - 300) / 6
            }
            squares += mean * mean
        }
        // Two kept draws and a sixth of two fresh ones: 58. Were the kept noise the same, it would be 8.
        #expect((33...90).contains(squares / 60), "\(squares / 60)")
    }

    @Test("a counter that is near its bound is refused, with what to do, and ends nothing")
    func tooLarge() throws {
        let town = Town(
            [Town.dimension("os", ["ios", "android"])],
            sums: [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 10, decimals: 0, unit: "EUR")],
            groupings: [[], [0]])
        let cube = try town.cube(0, ["ios": .init(events: 400, devices: 100, sum: .max)])
        let error = #expect(throws: NoiseError.self) { try Self.drawn(town, cube, [[], [0]], secret: 1) }
        #expect(error == .tooLarge && error?.description.contains("keep fewer decimals") == true)
    }

    @Test("nothing that was counted publishes nothing, and says its margins all the same")
    func empty() throws {
        let town = Town([Town.dimension("os", ["ios", "android"])], groupings: [[], [0]])
        let release = try Self.drawn(town, town.cube(0, [:]), [[], [0]], secret: 1)
        #expect(release.cells.isEmpty)
        #expect(release.header.margins?.groupings.count == 2)
        #expect(release.header.deviceMargin(of: .total) == 14)
    }
}
