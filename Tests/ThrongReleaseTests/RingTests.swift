import Testing
import ThrongFaults
import ThrongPlan
import ThrongSuppression

@testable import ThrongRelease

@Suite("Attack 30: a ring in a grid tells two of its cells together, though no shown sum does")
struct RingTests {
    private static let names = (1...5).map { "\($0)" }
    private static let groupings = [[], [0], [1], [0, 1]]
    private static let town = Town(
        [
            Town.dimension("row", names.map { BucketLabel("r\($0)") }),
            Town.dimension("column", names.map { BucketLabel("c\($0)") }),
        ], groupings: groupings)

    /// Two small cells, and four cells around them that are cheaper to withhold than any two of the others:
    /// x11 + x12, x22 + x23 and so on are known, so that row 1 and row 2 less column 2 are x11 + x23.
    ///
    /// - Parameter late: devices that x23 has besides.
    private static func day(_ day: Int, late: Int64 = 0) throws -> StoredCube {
        var cells: [String: Town.Counted] = [:]
        for row in 1...5 {
            for column in 1...5 { cells["r\(row) c\(column)"] = .init(events: 1 << 30, devices: 300) }
        }
        for near in ["r1 c2", "r2 c2", "r3 c3", "r3 c1"] { cells[near] = .init(events: 60, devices: 30) }
        // A third small cell, in a square of its own: all small ones together are k devices, which no shown sum forbids.
        for near in ["r4 c5", "r5 c4", "r5 c5"] { cells[near] = .init(events: 60, devices: 30) }
        cells["r4 c4"] = .init(events: 100, devices: 15)
        cells["r1 c1"] = .init(events: 30, devices: 4)
        cells["r2 c3"] = .init(events: 30 + late, devices: 4 + late)
        return try town.cube(day, cells)
    }

    private static func release(
        _ period: Period, _ parts: [StoredCube], reach: Bool, earlier: [Release] = []
    ) throws -> ReleaseDecision {
        try ReleaseCase(
            header: town.header(period, groupings: groupings, reach: reach), parts: parts, earlier: earlier
        ).decide(ReleaseOptions(seed: 1))
    }

    /// Unions of up to three withheld leaf cells that everybody can compute and that fewer than k devices are in.
    ///
    /// - Parameter published: what is known: by number, the leaves that it sums. A leaf is a day and a place in the grid.
    private static func told(by published: [Set<Int>], devices: [Int64]) -> [[Int]] {
        let prime = 1_000_003
        // Row echelon form over all leaves.
        var rows: [(pivot: Int, values: [Int])] = []
        func reduce(_ leaves: Set<Int>) -> [Int] {
            var vector = devices.indices.map { leaves.contains($0) ? 1 : 0 }
            for row in rows where vector[row.pivot] != 0 {
                let factor = vector[row.pivot]
                for leaf in vector.indices {
                    vector[leaf] = (vector[leaf] + (prime - factor) * row.values[leaf]) % prime
                }
            }
            return vector
        }
        for cell in published {
            var vector = reduce(cell)
            guard let pivot = vector.firstIndex(where: { $0 != 0 }) else { continue }
            var (inverse, base, exponent) = (1, vector[pivot], prime - 2)
            while exponent > 0 {
                if exponent & 1 == 1 { inverse = inverse * base % prime }
                base = base * base % prime
                exponent >>= 1
            }
            vector = vector.map { $0 * inverse % prime }
            rows.append((pivot, vector))
        }
        let small = devices.indices.filter { devices[$0] < 20 }
        var unions = small.map { [$0] }
        for first in small.indices {
            for second in small.indices where second > first {
                unions.append([small[first], small[second]])
                for third in small.indices where third > second {
                    unions.append([small[first], small[second], small[third]])
                }
            }
        }
        return unions.filter { union in
            union.reduce(0) { $0 + devices[$1] } < 20 && reduce(Set(union)).allSatisfy { $0 == 0 }
        }
    }

    private static func leaves(of cell: CellIndex, in margin: Margin, days: Range<Int>) -> Set<Int> {
        let layout = town.layout
        return Set(
            days.flatMap { day in
                (0..<25).filter { layout.project(CellIndex(UInt32($0)), from: layout.leaf, to: margin) == cell }
                    .map { day * 25 + $0 }
            })
    }

    private static func known(_ release: Release, days: Range<Int>) -> [Set<Int>] {
        release.cells.map { leaves(of: $0.cell, in: $0.margin, days: days) }
    }

    private static func devices(_ cubes: [StoredCube]) -> [Int64] {
        cubes.flatMap { cube in
            (0..<25).map { place in
                cube.distinct.first { $0.cell == CellIndex(UInt32(place)) }?.devices ?? 0
            }
        }
    }

    @Test("events of a day", arguments: [false, true])
    func day(reach: Bool) throws {
        let cube = try Self.day(0)
        let period = Town.day(0)
        // The control: a house that looks along shown sums withholds the ring and nothing else.
        let laid = try CaseTable(
            ReleaseCase(header: Self.town.header(period, groupings: Self.groupings), parts: [cube]),
            options: ReleaseOptions(seed: 1))
        let naive = try SuppressionEngine(options: ReleaseOptions(seed: 1).engine).pattern(for: laid.problem)
        let shown = laid.problem.cells.indices.filter { naive.isPublished[$0] }.map { column in
            Set(laid.problem.columns[column].map { Int(laid.frame.leaves[Int($0)].cell.value) })
        }
        #expect(!Self.told(by: shown, devices: Self.devices([cube])).isEmpty, "the control must be seen to fail")

        var random = SystemRandomNumberGenerator()
        let verifier = UnionVerifier(laid.problem, prime: RandomPrime.draw(using: &random), seed: random.next())
        let found = verifier.outcome(publishing: naive.isPublished, until: .now + .seconds(60))
        #expect(found.faults == 1 && found.unexamined == 0, "the verification must see it, too")
        #expect(throws: ReleaseError.unverified(metric: "visits", period: period, faults: 1)) {
            try Fault.with([.leaveToVerification]) { _ = try Self.release(period, [cube], reach: false) }
        }

        let decision = try Self.release(period, [cube], reach: reach)
        #expect(decision.summary.unexamined.isEmpty)
        #expect(Self.told(by: Self.known(decision.release, days: 0..<1), devices: Self.devices([cube])) == [])
        // Totals and lines stay, and most of the grid.
        #expect(decision.summary.levels.prefix(2).allSatisfy { $0.published == $0.publishable })
        #expect(decision.release.cells.count >= 1 + 10 + 13)
    }

    @Test("what the verification refuses is released without its finest grouping; with --strict it is not released")
    func coarser() throws {
        let cube = try Self.day(0)
        let release = ReleaseCase(
            header: Self.town.header(Town.day(0), groupings: Self.groupings), parts: [cube])
        var options = ReleaseOptions(seed: 1)
        let decision = try Fault.with([.leaveToVerification]) { try release.decideCoarsening(options) }
        #expect(decision.summary.refusals == 1)
        #expect(Set(decision.release.cells.map(\.margin)) == Set(Self.groupings.map { Margin(keeping: $0) }.dropLast()))
        #expect(decision.withheld.contains { $0.reason == .leftOut })
        #expect(Self.told(by: Self.known(decision.release, days: 0..<1), devices: Self.devices([cube])) == [])
        let ours = try release.decideCoarsening(options)
        #expect(ours.summary.refusals == 0)
        #expect(try ours.release.cells == release.decide(options).release.cells)

        options.isStrict = true
        #expect(throws: ReleaseError.unverified(metric: "visits", period: Town.day(0), faults: 1)) {
            try Fault.with([.leaveToVerification]) { _ = try release.decideCoarsening(options) }
        }
    }

    @Test("without L2, L3 is content with eight devices that sent sixty events")
    func switchedOff() throws {
        let cube = try Self.day(0)
        let release = try Fault.with([.ignoreUnions]) { try Self.release(Town.day(0), [cube], reach: false).release }
        let told = Self.told(by: Self.known(release, days: 0..<1), devices: Self.devices([cube]))
        #expect(told.contains([0, 7]), "x11 and x23")
    }

    @Test("two days and their week, with one device that came late and counts on the second day")
    func late() throws {
        let cubes = [try Self.day(0), try Self.day(1, late: 1)]
        let first = try Self.release(Town.day(0), [cubes[0]], reach: false).release
        let second = try Self.release(Town.day(1), [cubes[1]], reach: false).release
        let week = try Self.release(Town.week, cubes, reach: false, earlier: [first, second]).release
        let known =
            Self.known(first, days: 0..<1)
            + Self.known(second, days: 0..<1).map { Set($0.map { $0 + 25 }) } + Self.known(week, days: 0..<2)
        #expect(Self.told(by: known, devices: Self.devices(cubes)) == [])
        #expect(!week.cells.isEmpty)
    }
}
