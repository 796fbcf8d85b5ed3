import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("attack 34, against which nothing helps yet: what a histogram's edges and a sum tell of each other")
struct JointBoundTests {
    /// Bands of what was spent, 0 to 10: each with the least and the most that one of its events adds to the sum.
    private static let bands: [(label: BucketLabel, range: ClosedRange<Int64>)] = [
        ("<1", 0...1), ("1-5", 1...5), (">=5", 5...10),
    ]

    private static func release() throws -> Release {
        let town = Town(
            [Town.dimension("spent", bands.map(\.label))],
            sums: [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 10, decimals: 0, unit: "EUR")],
            groupings: [[], [0]])
        let cube = try town.cube(
            0,
            [
                "<1": .init(events: 60, devices: 60, sum: 12, top: [1, 1]),
                "1-5": .init(events: 40, devices: 40, sum: 60, top: [4, 4]),
                ">=5": .init(events: 3, devices: 3, sum: 18, top: [6, 6]),
            ])
        return try ReleaseCase(header: town.header(Town.day(0), groupings: [[], [0]]), parts: [cube])
            .decide(ReleaseOptions(seed: 1)).release
    }

    /// The most events that the last band can hold, by all that is published.
    ///
    /// - Parameter knowsEdges: whether each event's part of the sum is taken to lie within its band's edges.
    private static func most(_ release: Release, knowsEdges: Bool) throws -> Int64 {
        let total = try #require(release.cell(CellIndex(0), in: .total))
        let shown = bands.indices.map { release.cell(CellIndex(UInt32($0)), in: Margin(bits: 1)) }
        try #require(shown[2] == nil, "the small band is withheld")
        let hidden = bands.indices.filter { shown[$0] == nil }
        let count = total.count - shown.reduce(0) { $0 + ($1?.count ?? 0) }
        let sum = total.sums[0] - shown.reduce(0) { $0 + ($1?.sums[0] ?? 0) }
        try #require(hidden.count == 2 && count > 20)
        let other = bands[hidden[0]].range
        let own = bands[2].range
        return try #require(
            (0...count).last { last in
                let rest = count - last
                let least = last * own.lowerBound + rest * other.lowerBound
                let most = last * own.upperBound + rest * other.upperBound
                return !knowsEdges || least...most ~= sum
            })
    }

    @Test("each measure for itself leaves the small band open up to k and more; the edges prove it to be small")
    func edges() throws {
        let release = try Self.release()
        #expect(try Self.most(release, knowsEdges: false) >= 20, "the control: what L3 promises of each measure")
        #expect(try Self.most(release, knowsEdges: true) < 20, "the threat model says so, under subtraction")
    }
}
