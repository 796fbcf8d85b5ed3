import Testing
import ThrongChance
import ThrongPlan
import ThrongRelease
import ThrongStore

@testable import ThrongSchedule

@Suite("attack 38 on releases: what is released again, by whomever, withholds the same numbers", .serialized)
struct ReleaseSecretTests {
    private static let systems = ["a", "b", "c", "d", "e", "f"]
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [a, b, c, d, e, f], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day}
        """

    /// What an installation with a secret publishes of three days, each with one small system and five that are alike: by day
    /// and place.
    private static func published(_ proof: ReleaseScheduler.ProofOptions) async throws -> [[Int: Int64]] {
        let shop = try await CountedShop(yaml, proof: proof)
        for day in 0..<3 {
            var cells = [String: CountedShop.Counted]()
            for system in systems { cells[system] = .init(events: 80, devices: 40) }
            cells["a"] = .init(events: 6, devices: 3)
            try await shop.count("views", day: day, cells)
        }
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(4))
        let releases = try await shop.store.releases(
            app: "shop", metric: "views", periodKind: .day, from: CountedShop.start(0), to: CountedShop.start(3))
        try #require(releases.count == 3)
        return releases.map { release in
            var found: [Int: Int64] = [:]
            for cell in release.cells { found[cell.margin == .total ? -1 : Int(cell.cell.value)] = cell.count }
            return found
        }
    }

    /// The small system of a day, as whoever has all these releases of it computes it; nil where nobody can.
    private static func stolen(_ days: [[[Int: Int64]]], day: Int) -> Int64? {
        let known = days.reduce(into: [Int: Int64]()) { $0.merge($1[day]) { first, _ in first } }
        let others = (1..<systems.count).map { known[$0] }
        guard let total = known[-1], !others.contains(nil) else { return nil }
        return total - others.compactMap(\.self).reduce(0, +)
    }

    @Test("two databases with the same counters and one secret publish the same; the small number stays unknown")
    func alike() async throws {
        let secret = TieSecret()
        let first = try await Self.published(.init(ties: secret))
        let again = try await Self.published(.init(ties: secret))
        #expect(first == again)
        for day in 0..<3 { #expect(Self.stolen([first, again], day: day) == nil) }
        #expect(first.allSatisfy { $0[-1] == 406 && $0.count > 3 })
    }

    @Test("the control: without the secret another run hides another system, and both give the small one away")
    func control() async throws {
        var runs: [[[Int: Int64]]] = []
        var taken: [Int64] = []
        for _ in 0..<8 where taken.isEmpty {
            runs.append(try await Self.published(.init()))
            #expect((0..<3).allSatisfy { Self.stolen([runs[runs.count - 1]], day: $0) == nil })
            taken = (0..<3).compactMap { Self.stolen(runs, day: $0) }
        }
        #expect(taken.first == 6)
    }

    @Test("a metric's releases have one seed day after day; by weeks or with another secret they have another")
    func seeds() async throws {
        let shop = try await CountedShop(Self.yaml)
        let layout = try shop.plan.layout(of: try #require(shop.plan.metrics.first), rules: .system)
        func header(_ period: Period) throws -> ReleaseHeader {
            ReleaseHeader(
                plan: shop.plan, metric: try #require(shop.plan.metrics.first), layout: layout, period: period)
        }
        let secret = TieSecret()
        let (one, two) = (
            ReleaseScheduler(store: shop.store, rules: .system, proof: .init(ties: secret)),
            ReleaseScheduler(store: shop.store, rules: .system, proof: .init(ties: secret))
        )
        let day = try header(CountedShop.period(0))
        #expect(one.seed(for: day) == two.seed(for: day))
        #expect(one.seed(for: day) == one.seed(for: try header(CountedShop.period(1))))
        let others = [
            one.seed(for: day), one.seed(for: try header(CountedShop.week)), shop.releases.seed(for: day),
        ]
        #expect(Set(others).count == 3)
    }
}
