import Testing
import ThrongNoise
import ThrongPlan
import ThrongSystem

@testable import ThrongRelease

@Suite("A release counts what is within its chosen bound, and its margins follow from it")
struct ChosenBoundTests {
    private static let groupings = [Margin.total, Margin(keeping: [0])]
    private static let layout = MetricLayout(
        app: "town", metric: "visits", purpose: "product", rotation: Rotation(seconds: 86_400), period: .day,
        timeZone: "UTC", dimensions: [Town.dimension("os", ["ios", "android"])],
        sums: [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 3, decimals: 0, unit: "EUR")],
        contributionBound: Metric.firstBound, choosesBound: true, groupings: groupings)

    private static func secret(_ number: Int) -> DrawSecret {
        DrawSecret(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8) &+ $0) })
    }

    /// Devices of a system that sent so many events each; an event costs 2.
    private typealias Crowd = [(system: UInt32, events: Int, devices: Int64)]

    private static let crowd: Crowd = [
        (0, 3, 900), (0, 8, 300), (0, 15, 60), (0, 400, 4), (1, 2, 500), (1, 30, 20),
    ]

    private static func truth(_ bound: Int, system: UInt32? = nil, crowd: Crowd = crowd) -> Int64 {
        let all = crowd.filter { (system ?? $0.system) == $0.system }
        return all.reduce(0) { $0 + Int64(min($1.events, bound)) * $1.devices }
    }

    private static func cube(_ day: Int, crowd: Crowd = crowd) throws -> StoredCube {
        let rungs = try #require(layout.rungs)
        let window = layout.rotation.window(at: Town.day(day).start)
        var counters: [StoredCounter] = []
        for system: UInt32 in [0, 1] {
            for (place, rung) in rungs.enumerated() {
                let below = place > 0 ? truth(rungs[place - 1], system: system, crowd: crowd) : 0
                let events = truth(rung, system: system, crowd: crowd) - below
                let cell = CellIndex(system + 2 * UInt32(place))
                counters.append(StoredCounter(measure: .count, cell: cell, value: events))
                counters.append(StoredCounter(measure: .sum(0), cell: cell, value: 2 * events))
            }
        }
        let distinct = [UInt32(0), 1].map { system in
            StoredDistinct(
                margin: layout.leaf, cell: CellIndex(system), window: window,
                devices: crowd.reduce(0) { $1.system == system ? $0 + $1.devices : $0 })
        }
        return StoredCube(layout: layout, period: Town.day(day), counters: counters, distinct: distinct)
    }

    private static func release(
        _ period: Period, _ cubes: [StoredCube], bound: Int = Metric.firstBound, earlier: [Release] = [], by number: Int
    ) throws -> Release {
        let header = ReleaseHeader(
            layout: layout.bounded(by: bound), period: period,
            plan: PlanVersion(hex: String(repeating: "5e", count: 32)),
            threshold: .standard, sampling: 1, reach: true, groupings: groupings)
        let evidence = ReleaseEvidence(layout: layout, period: period, parts: cubes, earlier: earlier)
        return try MarginCase(header: header, on: evidence).decide(secret: secret(number)).release
    }

    @Test("19 of 20 numbers are as near as is said to what the bound counts", arguments: [5, 10, 50])
    func coverage(bound: Int) throws {
        let cube = try Self.cube(0)
        var (within, all) = (0, 0)
        for number in 0..<600 {
            let release = try Self.release(Town.day(0), [cube], bound: bound, by: number)
            #expect(release.header.chosenBound == bound && release.header.layout.counted == Self.layout)
            for system: UInt32? in [nil, 0, 1] {
                let grouping = Self.groupings[system == nil ? 0 : 1]
                let cell = try #require(release.cell(CellIndex(system ?? 0), in: grouping))
                let truth = Self.truth(bound, system: system)
                let margin = try #require(release.header.margin(of: grouping))
                let spent = try #require(release.header.margin(of: grouping, measure: 1))
                #expect(spent > 2 * margin && spent < 4 * margin, "an event spends 3 at most")
                within += (abs(cell.count - truth) <= margin ? 1 : 0) + (abs(cell.sums[0] - 2 * truth) <= spent ? 1 : 0)
                all += 2
            }
        }
        #expect((0.93...0.97).contains(Double(within) / Double(all)), "\(within) of \(all)")
        let margin = try Self.release(Town.day(0), [cube], bound: bound, by: 1).header.margin(of: .total)
        #expect((5.3...5.7).contains(Double(try #require(margin)) / Double(bound)))
    }

    @Test("the same bound has the same numbers again, another one noise of its own")
    func again() throws {
        let cube = try Self.cube(0)
        let first = try Self.release(Town.day(0), [cube], bound: 10, by: 7)
        #expect(try Self.release(Town.day(0), [cube], bound: 10, by: 7) == first)
        // Kept noise of one question would cancel in a difference of two days.
        func off(_ day: Int, _ bound: Int, by number: Int) throws -> Double {
            let cell = try Self.release(Town.day(day), [Self.cube(day)], bound: bound, by: number).cell([:])
            return Double(try #require(cell).count - Self.truth(bound))
        }
        let offs = try (0..<200).map { try off(1, 20, by: $0) - off(0, 10, by: $0) }
        let square = offs.reduce(0) { $0 + $1 * $1 } / 200
        // Two layers of 20² and of 40².
        #expect((2800...5600).contains(square), "\(square)")
    }

    @Test("a week adds up days of several bounds as they were drawn, and its margin is theirs together")
    func week() throws {
        let bounds = [20, 20, 10, 10, 5, 10, 20]
        let cubes = try bounds.indices.map { try Self.cube($0) }
        let truth = bounds.reduce(0) { $0 + Self.truth($1) }
        var (within, farthest) = (0, Int64(0))
        for number in 0..<300 {
            let days = try zip(bounds, cubes).enumerated().map { day, part in
                try Self.release(Town.day(day), [part.1], bound: part.0, by: number)
            }
            let week = try Self.release(Town.week, cubes, earlier: days, by: number)
            let found = try #require(week.cell([:])).count
            farthest = max(farthest, abs(found - (try days.reduce(0) { $0 + (try #require($1.cell([:])).count) })))
            within += try abs(found - truth) <= #require(week.header.margin(of: .total)) ? 1 : 0
            #expect(week.header.chosenBound == 5)
        }
        #expect(farthest <= 7, "\(farthest)")
        #expect((272...298).contains(within), "\(within) of 300")
    }

    @Test("a device of 400 events adds its bound, and its twin without them changes no number by more")
    func heavy() throws {
        var twin = Self.crowd
        twin[3].devices -= 1
        let off = try Fault.with([.noiseOff]) {
            try [Self.crowd, twin].map { crowd in
                try Self.release(Town.day(0), [Self.cube(0, crowd: crowd)], bound: 10, by: 1).cell([:])
            }
        }
        #expect(try #require(off[0]).count - (try #require(off[1]).count) == 10)
    }

    @Test(
        "devices that are in a cell beyond the bound only are proved and told there, and add no event",
        arguments: [true, false])
    func beyond(isSaid: Bool) throws {
        let layout = MetricLayout(
            app: "town", metric: "visits", purpose: "product", rotation: Rotation(seconds: 86_400), period: .day,
            timeZone: "UTC", dimensions: [Town.dimension("page", ["start", "end"], partitions: false)], sums: [],
            contributionBound: Metric.firstBound, choosesBound: true, groupings: Self.groupings,
            firstPeriods: isSaid ? [.day] : [], provedPeriods: isSaid ? [] : [.day], floor: .attested)
        // All send 12 events of the start, and 300 devices five of the end after these, which is beyond 10.
        let rung = UInt32(try #require(layout.rungs?.firstIndex(of: 20)))
        var counters: [StoredCounter] = []
        let counted: [(UInt32, Int64, Int64)] = [(0, 8000, 800), (2 * rung, 1600, 0), (2 * rung + 1, 1500, 300)]
        for (cell, count, devices) in counted {
            for measure in [MeasureIndex.count, layout.provedCount] {
                counters.append(StoredCounter(measure: measure, cell: CellIndex(cell), value: count))
            }
            for place in 0..<(layout.firsts?.count ?? 0) {
                let isNew = place > 0 || cell == 0
                counters.append(
                    StoredCounter(
                        measure: layout.measure(ofFirst: place), cell: CellIndex(cell), value: isNew ? devices : 0))
            }
        }
        func distinct(_ margin: Margin, _ cell: UInt32, _ devices: Int64) -> StoredDistinct {
            StoredDistinct(
                margin: margin, cell: CellIndex(cell), window: layout.rotation.window(at: Town.day(0).start),
                devices: devices)
        }
        let cube = StoredCube(
            layout: layout, period: Town.day(0), counters: counters,
            distinct: [distinct(layout.leaf, 0, 800), distinct(layout.leaf, 1, 300), distinct(.total, 0, 800)])
        let proved = [(layout.leaf, UInt32(0), Int64(800)), (layout.leaf, 1, 300), (.total, 0, 800)].map {
            ProvedDevices.Row(margin: $0.0, cell: CellIndex($0.1), devices: $0.2)
        }
        let header = ReleaseHeader(
            layout: layout.bounded(by: 10), period: cube.period,
            plan: PlanVersion(hex: String(repeating: "5e", count: 32)), threshold: .standard, sampling: 1, reach: true,
            groupings: Self.groupings)
        let evidence = ReleaseEvidence(
            layout: layout, period: cube.period, parts: [cube],
            proved: [ProvedDevices(period: cube.period, rows: proved)])
        let release = try Fault.with([.noiseOff]) {
            try MarginCase(header: header, on: evidence).decide(secret: Self.secret(1)).release
        }
        let (all, end) = (try #require(release.cell([:])), try #require(release.cell(["page": "end"])))
        #expect(all.count == 8000 && release.cell(["page": "start"])?.count == 8000 && end.count == 0)
        #expect([all, end].map { $0.firsts ?? $0.reach?.devices } == [800, 300])
    }
}
