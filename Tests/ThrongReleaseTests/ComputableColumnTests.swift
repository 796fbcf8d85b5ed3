import Testing
import ThrongFaults
import ThrongPlan
import ThrongSuppression

@testable import ThrongRelease

/// What can be computed from numbers of several metrics none of which holds another: here by the one who knows what each of
/// them counts, and subtracts.
@Suite("Promise 5: what numbers of several metrics let anybody compute stands for k devices")
struct ComputableColumnTests {
    private static let groupings: [Margin] = [.total, Margin(keeping: [0])]

    /// - Parameter common: the events that only the first two metrics have in common, each of a device of its own.
    private static func town(common: Int64) -> TiedTown {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("ab", events: ["a", "b"], values: [40 + common, 0, 60, 0], groupings: groupings)
        town.add("bc", events: ["b", "c"], values: [30 + common, 0, 50, 0], groupings: groupings)
        town.add("abc", events: ["a", "b", "c"], values: [70 + common, 0, 110, 0], groupings: groupings)
        return town
    }

    /// How often `b` happened, by all published numbers of one kind; nil where one of them is withheld.
    private static func inCommon(_ town: TiedTown, country: UInt32?) -> Int64? {
        let values = town.releases.map { release in
            country.map { release.cell(CellIndex($0), in: Margin(keeping: [0])) }
                ?? release.cell(CellIndex(0), in: .total)
        }.map { $0?.count }
        guard values.count == 3, let one = values[0], let two = values[1], let all = values[2] else { return nil }
        return one + two - all
    }

    /// A plan that came once the day was over counted what came late.
    private static let late = UnixSeconds(100_000)

    @Test("two metrics less one that counts either: what both count", arguments: [nil, UnixSeconds(40_000), late])
    func overlap(since: UnixSeconds?) throws {
        var town = Self.town(common: 3)
        try Fault.with([.ignoreColumns]) { try town.decide(isTied: true, knowsLayouts: true, since: since) }
        #expect(Self.inCommon(town, country: nil) == 3, "the control must be seen to fail")
        try town.decide(isTied: true, knowsLayouts: true, since: since)
        #expect(Self.inCommon(town, country: nil) == nil)
        #expect(Self.inCommon(town, country: 0) == nil)
        try town.decide(isTied: true)
        #expect(Self.inCommon(town, country: nil) == nil)
        #expect(Self.inCommon(town, country: 0) == nil)
        #expect(town.releases[0].cells.count == 3 && town.releases[1].cells.count == 3, "the first two tell nothing")
        #expect(!town.releases[2].cells.isEmpty, "the other country is no secret")
    }

    @Test("where k devices are behind it, nothing is withheld")
    func overlapOfMany() throws {
        var town = Self.town(common: 30)
        try town.decide(isTied: true)
        #expect(Self.inCommon(town, country: 0) == 30)
        #expect(town.releases.allSatisfy { $0.cells.count == 3 })
    }

    @Test("a total less two metrics' totals and their countries: the rest of one country")
    func families() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("a", events: ["a"], values: [20, 0, 30, 0], groupings: [Margin(keeping: [0])])
        town.add("b", events: ["b"], values: [25, 0, 35, 0], groupings: [Margin(keeping: [0])])
        town.add("all", events: ["a", "b", "c"], values: [45 + 2, 0, 65, 0], groupings: Self.groupings)
        func rest() -> Int64? {
            let total = town.releases[2].cell(CellIndex(0), in: .total)?.count
            let parts = town.releases[0].cells + town.releases[1].cells
            return total.flatMap { parts.count == 4 ? $0 - parts.reduce(0) { $0 + $1.count } : nil }
        }
        try Fault.with([.releaseApart]) { try town.decide(isTied: true) }
        #expect(rest() == 2, "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(rest() == nil)
    }

    @Test(
        "a metric that comes later keeps its total: another's finer number gives way",
        arguments: [nil, UnixSeconds(40_000), late])
    func expected(since: UnixSeconds?) throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("views", events: ["a"], values: [42, 0, 60, 0], groupings: [Margin(keeping: [0])])
        // Two events more than all countries of the first.
        town.add("pages", events: ["a", "b"], values: [43, 0, 61, 0], groupings: [.total])
        try town.decide(isTied: true)
        #expect(town.releases[0].cells.count == 2 && town.releases[1].cells.isEmpty, "nobody knew that it would come")
        try town.decide(isTied: true, knowsLayouts: true, since: since)
        #expect(town.releases[1].cells.map(\.count) == [104])
        #expect(town.releases[0].cells.count < 2)
    }

    @Test("without time to look at all numbers the finest are withheld, and the rest is looked at")
    func time() throws {
        var town = Self.town(common: 30)
        try town.decide(isTied: true)
        let others = [0, 1].map { town.metrics[$0].tied(town.releases) }
        let release = ReleaseCase(
            header: town.releases[2].header, parts: [town.metrics[2].cube], tied: others)
        let laid = try CaseTable(release, options: ReleaseOptions(seed: 7), others: release.tiedMargins)
        let columns = TiedColumns(
            try TiedCase(release, own: laid, options: ReleaseOptions(seed: 7)), threshold: release.header.threshold,
            options: ReleaseOptions(seed: 7).engine)
        let offered = laid.problem.cells.map { $0.isOffered && !$0.isSensitive }
        var (kept, hurried) = (offered, offered)
        try columns.narrow(&kept, seconds: 60)
        try columns.narrow(&hurried, seconds: 0)
        #expect(kept == offered && kept.count { $0 } == 3, "nothing of it tells anything")
        #expect(hurried.indices.filter { hurried[$0] }.map { laid.problem.cells[$0].level } == [0], "the total is left")
    }
}
