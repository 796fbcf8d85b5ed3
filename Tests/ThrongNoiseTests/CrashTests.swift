import Testing
import ThrongNoise

@Suite("A crash between reserve and publish never draws again")
struct CrashTests {
    static let march = BudgetSlot(start: 1)
    static let april = BudgetSlot(start: 2)
    /// Four at 1/2 with 1 a month: the fourth never fits, the third lies over both months.
    static let releases: [(NoiseReleaseID, Set<BudgetSlot>)] = [
        (NoiseReleaseID("a"), [march]), (NoiseReleaseID("b"), [april]), (NoiseReleaseID("c"), [march, april]),
        (NoiseReleaseID("d"), [march]),
    ]

    @Test("power lost at every pair of instants: one draw a release at most, one set of numbers, within the budget")
    func everyPairOfInstants() throws {
        var runs = 0
        var lost: Set<Int> = []
        // 4 releases of at most 10 instants.
        for first in 0..<40 {
            for second in 0..<40 {
                var world = CrashingWorld()
                for instant in [first, second, nil] {
                    _ = try run(&world, until: instant)
                    #expect(faults(in: world).isEmpty, "crashes at \(first) and \(second)")
                }
                // Whatever is stored is out in the end, and a second full run changes nothing.
                #expect(Set(world.values.keys) == Set(world.published.map(\.release)))
                let before = world.published
                #expect(try run(&world, until: nil))
                #expect(world.published == before)
                lost.insert(world.rows.values.count { $0.stage == .reserved })
                runs += 1
            }
        }
        #expect(runs == 1600)
        // The crashes did hit: in some runs no release was lost, in some one, in some two.
        #expect(lost == [0, 1, 2])
    }

    @Test("control: a ledger that forgets reservations draws again and overspends, and this test sees both")
    func forgettingIsSeen() throws {
        var seen: Set<Fault> = []
        for instant in 0..<40 {
            var world = CrashingWorld(forgets: true)
            _ = try run(&world, until: instant)
            _ = try run(&world, until: nil)
            seen.formUnion(faults(in: world))
        }
        #expect(seen.contains(.drawnTwice))
        #expect(seen.contains(.overspent))
    }

    enum Fault { case drawnTwice, publishedTwoWays, publishedUnstored, overspent }

    /// Looked at from outside, without the ledger.
    private func faults(in world: CrashingWorld) -> Set<Fault> {
        var faults: Set<Fault> = []
        if Set(world.draws.map(\.release)).count < world.draws.count { faults.insert(.drawnTwice) }
        for draw in world.published {
            if world.values[draw.release] != draw { faults.insert(.publishedUnstored) }
            if world.published.contains(where: { $0.release == draw.release && $0.values != draw.values }) {
                faults.insert(.publishedTwoWays)
            }
        }
        // By draws, not by rows: what was drawn costs, whatever was written down. Two halves are the budget.
        let slots = Dictionary(Self.releases, uniquingKeysWith: { first, _ in first })
        for slot in [Self.march, Self.april] {
            let halves = world.draws.count { slots[$0.release]?.contains(slot) == true }
            let paid = world.rows.values.count { $0.slots.contains(slot) }
            if max(halves, paid) > 2 { faults.insert(.overspent) }
        }
        return faults
    }

    private func run(_ world: inout CrashingWorld, until instant: Int?) throws -> Bool {
        try world.run(
            Self.releases, terms: MechanismTests.terms(cells: 3), budget: MechanismTests.budget("1"), until: instant)
    }
}
