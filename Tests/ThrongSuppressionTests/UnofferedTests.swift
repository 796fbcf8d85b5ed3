import SuppressionOracle
import Testing
import ThrongSuppression

@Suite("A cell that nobody asked for is protected and never published")
struct UnofferedTests {
    /// Two regions by two ages; only the margins are asked for, and young people of the south are few.
    private static func margins(offered: Set<String>, of values: [Int64]) throws -> SmallTable {
        try SmallTable(
            values,
            cells: [
                ("ny", [0]), ("no", [1]), ("sy", [2]), ("so", [3]), ("n", [0, 1]), ("s", [2, 3]), ("y", [0, 2]),
                ("o", [1, 3]), ("all", [0, 1, 2, 3]),
            ],
            sums: [
                ("n", ["ny", "no"]), ("s", ["sy", "so"]), ("y", ["ny", "sy"]), ("o", ["no", "so"]),
                ("all", ["n", "s"]),
                ("all", ["y", "o"]),
            ], offered: offered)
    }

    private static func protect(_ table: SmallTable) throws -> SuppressionPattern {
        let pattern = try SuppressionEngine(options: SuppressionOptions(seed: 1, isStrict: true)).pattern(
            for: table.problem)
        let verifier = PatternVerifier(table.problem)
        #expect(verifier.violations(of: pattern, prime: 2_305_843_009_213_693_951, seed: 1).isEmpty)
        return pattern
    }

    @Test("margins that prove a small leaf which nobody asked for are withheld, as the attacker confirms")
    func hiddenLeaf() throws {
        // With ny published beside y, so beside s, or everything but the corner, the small one follows by subtraction.
        let table = try Self.margins(offered: ["ny", "no", "so", "n", "s", "y", "o", "all"], of: [40, 4, 2, 30])
        let naive = IntegerAttacker(table.problem, isPublished: table.naive)
        let small = try table.column("sy")
        #expect(naive.weakness(of: small, measure: 0) == .unique, "the control must be seen to fail")
        let pattern = try Self.protect(table)
        let attacker = IntegerAttacker(table.problem, isPublished: pattern.isPublished)
        for cell in table.sensitive { #expect(attacker.weakness(of: cell, measure: 0) == nil) }
        #expect(pattern.isPublished.contains(true))
    }

    @Test("leaves that nobody asked for stay unpublished, cost nothing and leave the margins alone")
    func free() throws {
        let offered: Set<String> = ["n", "s", "y", "o", "all"]
        let table = try Self.margins(offered: offered, of: [40, 30, 20, 30])
        let pattern = try Self.protect(table)
        for (place, name) in table.names.enumerated() {
            #expect(pattern.isPublished[place] == offered.contains(name))
            #expect(pattern.reasons[place] == (offered.contains(name) ? nil : .notOffered))
        }
        #expect(pattern.extraCost == 0)
    }

    @Test("a published sum over the leaves of one that nobody asked for shows its number, and is withheld with it")
    func twins() throws {
        let table = try SmallTable(
            [3, 60], cells: [("leaf", [0]), ("group", [0]), ("other", [1]), ("total", [0, 1])],
            sums: [("total", ["group", "other"])], offered: ["group", "other", "total"])
        let pattern = try Self.protect(table)
        #expect(!pattern.isPublished[0] && !pattern.isPublished[1])
        #expect(!pattern.isPublished[2] || !pattern.isPublished[3])
    }

    @Test("a forced cell is published whether somebody asks for it again or not")
    func forced() throws {
        let table = try SmallTable(
            [30, 60], cells: [("a", [0]), ("b", [1]), ("total", [0, 1])], sums: [("total", ["a", "b"])], forced: ["a"],
            offered: ["total"])
        #expect(try Self.protect(table).isPublished == [true, false, true])
    }
}
