import Testing
import ThrongChance
import ThrongFaults
import ThrongPlan

@testable import ThrongRelease

@Suite("Promise 5: what numbers of several metrics let anybody compute is looked at again by other code")
struct ColumnVerifierTests {
    private static let country = Margin(keeping: [0])

    /// What the verification finds in a town's last release, if all of it leaves as it was decided.
    private static func found(
        _ town: TiedTown, seconds: Double = 10, publishing cells: [PublishedCell]? = nil
    ) -> ColumnVerifier.Outcome {
        let last = town.metrics.count - 1
        let release = ReleaseCase(
            header: town.releases[last].header, parts: [town.metrics[last].cube],
            tied: (0..<last).map { town.metrics[$0].tied(town.releases) })
        let deadline = ContinuousClock().now + .seconds(seconds)
        return ColumnVerifier(
            release, publishing: cells ?? town.releases[last].cells, until: deadline
        ).outcome(until: deadline)
    }

    /// Towns whose last metric tells with the others what stands for one to three devices.
    private static let towns: [(name: String, town: TiedTown)] = {
        func town(_ body: (inout TiedTown) -> Void) -> TiedTown {
            var town = TiedTown(countries: 2, threshold: 5)
            body(&town)
            return town
        }
        return [
            (
                "one less another",
                town {
                    $0.add("safe", events: ["a"], values: [40, 0, 60, 0], groupings: [.total, country])
                    $0.add("all", events: ["a", "b"], values: [41, 0, 80, 0], groupings: [.total, country])
                }
            ),
            (
                "two of the same",
                town {
                    $0.add("views", events: ["a"], values: [40, 0, 60, 0], groupings: [.total, country])
                    $0.add("pages", events: ["a"], values: [38, 0, 60, 0], groupings: [.total, country])
                }
            ),
            (
                "one less two",
                town {
                    $0.add("a", events: ["a"], values: [20, 0, 30, 0], groupings: [country])
                    $0.add("b", events: ["b"], values: [25, 0, 35, 0], groupings: [country])
                    $0.add("all", events: ["a", "b", "c"], values: [47, 0, 95, 0], groupings: [country])
                }
            ),
            (
                "two less one",
                town {
                    $0.add("ab", events: ["a", "b"], values: [43, 0, 90, 0], groupings: [.total, country])
                    $0.add("bc", events: ["b", "c"], values: [33, 0, 80, 0], groupings: [.total, country])
                    $0.add("abc", events: ["a", "b", "c"], values: [73, 0, 140, 0], groupings: [.total, country])
                }
            ),
            (
                "one less a whole grouping of each of two",
                town {
                    $0.add("a", events: ["a"], values: [20, 0, 30, 0], groupings: [country])
                    $0.add("b", events: ["b"], values: [25, 0, 35, 0], groupings: [country])
                    $0.add("all", events: ["a", "b", "c"], values: [47, 0, 65, 0], groupings: [.total])
                }
            ),
        ]
    }()

    @Test(
        "it finds what a house publishes that looks at each metric alone, and nothing in what ours does",
        arguments: towns.indices)
    func kinds(place: Int) throws {
        var (name, town) = Self.towns[place]
        try town.decide(isTied: false)
        #expect(Self.found(town).faults > 0, "\(name): the control must be seen to fail")
        try town.decide(isTied: true)
        let outcome = Self.found(town)
        #expect(outcome.faults == 0 && outcome.unexamined == 0, "\(name): \(outcome)")
        #expect(town.releases.map(\.cells.count).reduce(0, +) > 1, "\(name): a release of nothing proves nothing")
    }

    @Test("where k devices are behind it nothing is found")
    func many() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("safe", events: ["a"], values: [40, 0, 60, 0], groupings: [.total, Self.country])
        town.add("all", events: ["a", "b"], values: [49, 0, 80, 0], groupings: [.total, Self.country])
        try town.decide(isTied: false)
        #expect(Self.found(town).faults == 0)
    }

    @Test("a day beside an hour that has all of it but one device")
    func late() throws {
        let hour = Period(kind: .hour, start: .epoch, end: UnixSeconds(3_600))
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("hourly", events: ["open"], values: [20, 19, 15, 18], groupings: [.total], period: hour)
        town.add("daily", events: ["open"], values: [20, 20, 15, 18], groupings: [.total])
        try town.decide(isTied: false)
        #expect(Self.found(town).faults > 0)
        try town.decide(isTied: true)
        #expect(Self.found(town).faults == 0)
    }

    @Test("a release that the last step left open is refused")
    func refused() throws {
        // Where one of two metrics holds the other, proofs of tied cells see to it before columns are looked at.
        var town = Self.towns[3].town
        #expect(throws: ReleaseError.self) {
            try Fault.with([.leaveToVerification]) { try town.decide(isTied: true) }
        }
    }

    @Test("what there was no time for is counted, and is no fault")
    func time() throws {
        var town = Self.towns[0].town
        try town.decide(isTied: false)
        let outcome = Self.found(town, seconds: -1)
        #expect(outcome.faults == 0)
        #expect(outcome.unexamined >= town.releases[1].cells.count)
    }

    /// Two metrics of many cells with heavy tails, of which the second counts a few more events.
    private static func crowd(countries: Int, buckets: Int, seed: UInt64) -> TiedTown {
        var random = SeededGenerator(seed: seed)
        let views = (0..<countries * buckets).map { leaf -> Int64 in
            let rank = Double(leaf / buckets + 1) * Double(leaf % buckets + 1)
            return Int64(2_000 / rank * Double.random(in: 0.5...1.5, using: &random))
        }
        let actions = views.map {
            $0 + (Int.random(in: 0..<5, using: &random) == 0 ? Int64.random(in: 0...9, using: &random) : 0)
        }
        var town = TiedTown(countries: countries, threshold: 20)
        let groupings: [Margin] = [.total, country, Margin(keeping: [1]), Margin(keeping: [0, 1])]
        town.add("views", events: ["a"], values: views, groupings: groupings)
        town.add("actions", events: ["a", "b"], values: actions, groupings: groupings)
        return town
    }

    @Test(
        "heavy tails, and wide tables",
        arguments: [(12, 20, 1), (40, 30, 2), (60, 12, 3), (300, 2, 4)] as [(Int, Int, UInt64)])
    func heavy(countries: Int, buckets: Int, seed: UInt64) throws {
        var town = Self.crowd(countries: countries, buckets: buckets, seed: seed)
        try town.decide(isTied: false)
        let naive = Self.found(town)
        #expect(naive.faults > 0, "the control must be seen to fail")
        // To decide it with the first known would throw where the verification found anything.
        try town.decide(isTied: true)
        let ours = Self.found(town)
        #expect(ours.faults == 0 && ours.unexamined == 0)
        #expect(town.releases[1].cells.count > countries / 4, "much is published: \(town.releases[1].cells.count)")
        // One country more than was decided, with the few events that the second metric has besides.
        let hidden = (0..<countries).map { CellIndex(UInt32($0)) }.first {
            town.releases[1].cell($0, in: Self.country) == nil && town.releases[0].cell($0, in: Self.country) != nil
        }
        if let hidden {
            let count = (0..<buckets).reduce(0) { $0 + town.metrics[1].values[Int(hidden.value) * buckets + $1] }
            let tampered =
                town.releases[1].cells + [
                    PublishedCell(margin: Self.country, cell: hidden, count: count, sums: [], reach: nil)
                ]
            #expect(Self.found(town, publishing: tampered).faults > 0, "\(hidden)")
        }
    }
}
