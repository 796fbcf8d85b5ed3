import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("A grouping of which next to nothing could be shown is left out as a whole")
struct LeftOutTests {
    private static let pages = (0..<40).map { BucketLabel("p\($0)") }
    private static let town = Town(
        [Town.dimension("os", ["ios", "android"]), Town.dimension("page", pages)], groupings: [[], [0], [1], [0, 1]])

    /// - Parameter large: devices of the one pair that could be shown.
    private static func decide(large: Int64, former: Release? = nil, preferring: Set<Margin> = []) throws
        -> ReleaseDecision
    {
        var cells: [String: Town.Counted] = [:]
        for (place, page) in pages.enumerated() {
            for os in ["ios", "android"] {
                // The first page is one system's only, so that its pair says nothing new.
                let devices = place > 0 ? 12 : os == "ios" ? large : 0
                if devices == 0 { continue }
                cells["\(os) \(page.text)"] = .init(events: devices, devices: devices)
            }
        }
        let header = town.header(Town.day(0), groupings: [[], [0], [1], [0, 1]])
        return try ReleaseCase(header: header, parts: [try town.cube(0, cells)], former: former)
            .decide(ReleaseOptions(seed: 1, preferred: preferring))
    }

    private static let pairs = Margin(bits: 3)

    private static func shown(_ decision: ReleaseDecision) -> Int {
        decision.release.cells.count { $0.margin == pairs }
    }

    @Test("90 of 1,026 events: none of the pairs is shown, all else is, and the operator is told why")
    func little() throws {
        let decision = try Self.decide(large: 90)
        #expect(Self.shown(decision) == 0)
        #expect(decision.release.cells.count { $0.margin == Margin(bits: 2) } == 40)
        let reasons = decision.withheld.filter { $0.margin == Self.pairs }.map(\.reason)
        #expect(reasons.count == 79 && reasons.count { $0 == .leftOut } == 1)
    }

    @Test("a tenth is shown; so is less where reports ask for it, or where it was shown before")
    func enough() throws {
        let decision = try Self.decide(large: 130)
        #expect(Self.shown(decision) == 1)
        #expect(Self.shown(try Self.decide(large: 90, preferring: [Self.pairs])) == 1)
        #expect(Self.shown(try Self.decide(large: 90, former: decision.release)) == 1)
        #expect(Self.shown(try Self.decide(large: 40, former: decision.release)) == 0)
    }
}
