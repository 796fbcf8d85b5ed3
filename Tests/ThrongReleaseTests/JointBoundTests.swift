import Testing
import ThrongChance
import ThrongFaults
import ThrongPlan

@testable import ThrongRelease

@Suite("Attack 34: a histogram's edges beside a sum prove no band to be small")
struct JointBoundTests {
    /// Bands of what was spent, 0 to 10: each with the least and the most that one of its events adds to the sum.
    private static let bands: [(label: BucketLabel, range: ClosedRange<Int64>)] = [
        ("<1", 0...1), ("1-5", 1...5), (">=5", 5...10),
    ]

    private static let town = Town(
        [Town.dimension("spent", bands.map(\.label))],
        sums: [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 10, decimals: 0, unit: "EUR")],
        groupings: [[], [0]])

    /// - Parameters:
    ///   - middle: the sum of the forty events of the middle band.
    ///   - lowest: events of the lowest band.
    private static func release(middle: Int64, lowest: Int64 = 60) throws -> ReleaseDecision {
        let cube = try town.cube(
            0,
            [
                "<1": .init(events: lowest, devices: lowest, sum: lowest / 5, top: [1, 1]),
                "1-5": .init(events: 40, devices: 40, sum: middle, top: [4, 4]),
                ">=5": .init(events: 3, devices: 3, sum: 18, top: [6, 6]),
            ])
        return try ReleaseCase(header: town.header(Town.day(0), groupings: [[], [0]]), parts: [cube])
            .decide(ReleaseOptions(seed: 1))
    }

    /// What anybody has: the total and the bands that are published; events and sum.
    private struct Published {
        let total: (events: Int64, sum: Int64?)
        let bands: [(events: Int64, sum: Int64?)?]

        init(_ release: Release) throws {
            let cell = try #require(release.cell(CellIndex(0), in: .total))
            total = (cell.count, cell.sums.first)
            bands = JointBoundTests.bands.indices.map { place in
                release.cell(CellIndex(UInt32(place)), in: Margin(bits: 1)).map { ($0.count, $0.sums.first) }
            }
        }

        init(total: (Int64, Int64?), bands: [(Int64, Int64?)?]) {
            self.total = total
            self.bands = bands
        }

        /// The most events that the last band can hold, by enumeration of all splits of what is hidden.
        ///
        /// - Parameter knowsEdges: whether each event's part of the sum is taken to lie within its band's edges.
        func most(knowsEdges: Bool) throws -> Int64 {
            let hidden = bands.indices.filter { bands[$0] == nil }
            try #require(hidden.contains(2), "the small band is withheld")
            let count = total.events - bands.reduce(0) { $0 + ($1?.events ?? 0) }
            let sum = bands.reduce(total.sum) { left, band in
                guard let band else { return left }
                return band.sum.flatMap { sum in left.map { $0 - sum } }
            }
            let others = hidden.dropLast().map { JointBoundTests.bands[$0].range }
            let own = JointBoundTests.bands[2].range
            return try #require(
                (0...count).last { last in
                    if others.isEmpty { return last == count }
                    guard knowsEdges, let sum else { return true }
                    let rest = count - last
                    let least = last * own.lowerBound + rest * (others.map(\.lowerBound).min() ?? 0)
                    let most = last * own.upperBound + rest * (others.map(\.upperBound).max() ?? 0)
                    return least...most ~= sum
                })
        }
    }

    @Test("a house that proves each measure for itself lets the edges prove a band small; we withhold one band more")
    func edges() throws {
        // The control: the small band and the cheapest other one are withheld.
        let naive = Published(total: (103, 120), bands: [(60, 12), nil, nil])
        #expect(try naive.most(knowsEdges: false) >= 20)
        #expect(try naive.most(knowsEdges: true) < 20, "the control must be seen to fail")

        let decision = try Self.release(middle: 90)
        let ours = try Published(decision.release)
        #expect(try ours.most(knowsEdges: true) >= 20)
        #expect(decision.withheld.contains { $0.reason == .bounds(nil) })
        #expect(decision.summary.unexamined.isEmpty)
    }

    @Test("what the last step leaves open is found by other code, and refused")
    func verified() throws {
        #expect(throws: ReleaseError.self) {
            try Fault.with([.leaveToVerification]) { _ = try Self.release(middle: 90) }
        }
    }

    @Test("where totals alone prove a band small, their sum is withheld, and how many events there were is not")
    func totals() throws {
        // 18 parts of a sum of 90 at most can be 5 or more.
        let naive = Published(total: (603, 90), bands: [nil, nil, nil])
        #expect(try naive.most(knowsEdges: true) < 20, "the control must be seen to fail")

        let decision = try Self.release(middle: 52, lowest: 100)
        let ours = try Published(decision.release)
        #expect(ours.total.events == 143 && ours.total.sum == nil)
        #expect(try ours.most(knowsEdges: true) >= 20)
        #expect(decision.summary.unexamined.isEmpty)
        let whole = try Published(Self.release(middle: 90).release)
        #expect(whole.total.sum != nil, "and only there")
    }

    @Test("of two dimensions, too: no decision is refused, and some would be without the last step")
    func random() throws {
        let town = Town(
            [
                Town.dimension("spent", Self.bands.map(\.label)),
                Town.dimension("shade", ["a", "b", "c"]),
            ],
            sums: [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 10, decimals: 0, unit: "EUR")],
            groupings: [[], [0], [1], [0, 1]])
        var (refused, examined, unexamined) = (0, 0, 0)
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            var cells: [String: Town.Counted] = [:]
            for band in Self.bands {
                for shade in ["a", "b", "c"] {
                    let devices = Int64([2, 4, 9, 25, 40, 90, 200][Int.random(in: 0..<7, using: &random)])
                    let each = Double.random(in: 0...1, using: &random)
                    let range = (devices * band.range.lowerBound)...(devices * band.range.upperBound)
                    let sum = range.lowerBound + Int64(each * each * Double(range.upperBound - range.lowerBound))
                    let most = min(band.range.upperBound, sum)
                    cells["\(band.label.text) \(shade)"] = .init(
                        events: devices, devices: devices, sum: sum, top: [most, min(most, sum - most)])
                }
            }
            let release = ReleaseCase(
                header: town.header(Town.day(0), groupings: [[], [0], [1], [0, 1]]), parts: [try town.cube(0, cells)])
            let decision = try release.decide(ReleaseOptions(seed: seed))
            unexamined += decision.summary.unexamined.bounds
            examined += decision.summary.sensitive
            do {
                _ = try Fault.with([.leaveToVerification]) { try release.decide(ReleaseOptions(seed: seed)) }
            } catch ReleaseError.unverified { refused += 1 }
        }
        #expect(refused > 0, "the control must be seen to fail")
        #expect(examined > 40 && unexamined < examined / 4, "\(unexamined) bounds of \(examined) cells not examined")
    }

    @Test("where the sum leaves room for k events in the small band, nothing more is withheld")
    func room() throws {
        // The middle band is the cheaper protector, and its sum is large.
        let ours = try Published(try Self.release(middle: 150, lowest: 600).release)
        #expect(try ours.most(knowsEdges: true) >= 20)
        #expect(ours.bands[0] != nil)
    }

    @Test("bands of another field are no bands of this sum: counters contradict it, and nothing more is withheld")
    func others() throws {
        let town = Town(
            [Town.dimension("age", ["<1", "1-5", ">=5"])],
            sums: [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 10, decimals: 0, unit: "EUR")],
            groupings: [[], [0]])
        let cube = try town.cube(
            0,
            [
                "<1": .init(events: 60, devices: 60, sum: 100, top: [3, 3]),
                "1-5": .init(events: 40, devices: 40, sum: 20, top: [1, 1]),
                ">=5": .init(events: 3, devices: 3, sum: 2, top: [1, 1]),
            ])
        let frame = ReleaseFrame([cube], layout: town.layout)
        #expect(frame.leaves.count == 3)
        let release = ReleaseCase(header: town.header(Town.day(0), groupings: [[], [0]]), parts: [cube])
        #expect(BandedSums(try CaseTable(release, options: ReleaseOptions(seed: 1)))?.isBand.contains(true) == false)
    }

    @Test("edges are read from labels as bands have them, and from no others")
    func labels() throws {
        func edges(_ labels: [BucketLabel]) -> [String]? {
            BandedSums.edges(of: labels)?.map { "\($0.from.map { "\($0)" } ?? "") \($0.to.map { "\($0)" } ?? "")" }
        }
        #expect(edges(["<20", "20-50", ">=50", "other"]) == [" 20.0", "20.0 50.0", "50.0 ", " "])
        #expect(edges(["<-10", "from -10 to 20.5", ">=20.5"]) == [" -10.0", "-10.0 20.5", "20.5 "])
        #expect(edges(["ios", "android", "other"]) == nil)
        #expect(edges(["1", "2", ">=3"]) == nil)
        #expect(edges(["other"]) == nil)
    }
}
