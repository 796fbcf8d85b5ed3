import Testing
import throng_lab

@Suite("The verification refuses what a pattern claims and does not hold")
struct VerifierTests {
    private static func pattern(_ table: SmallTable, seed: UInt64 = 1) throws -> SuppressionPattern {
        let pattern = try SuppressionEngine(options: SuppressionOptions(seed: seed)).pattern(for: table.problem)
        #expect(violations(of: pattern, in: table).isEmpty)
        return pattern
    }

    private static func violations(of pattern: SuppressionPattern, in table: SmallTable) -> [PatternVerifier.Violation]
    {
        PatternVerifier(table.problem).violations(of: pattern, prime: 2_305_843_009_213_693_951, seed: 3)
    }

    @Test("a small union below a sum that is withheld, but everybody can compute")
    func computableParent() throws {
        // Two rows by four columns: the second row's sum follows from the total and the first row.
        let values: [Int64] = [20, 30, 40, 25, 60, 50, 2, 1]
        var cells: [(String, [UInt32])] = (0..<8).map { ("\($0 / 4)\($0 % 4)", [UInt32($0)]) }
        cells += [("r0", [0, 1, 2, 3]), ("r1", [4, 5, 6, 7]), ("all", Array(0..<8))]
        cells += (0..<4).map { ("c\($0)", [UInt32($0), UInt32($0 + 4)]) }
        let table = try SmallTable(
            values, cells: cells,
            sums: [
                ("r0", ["00", "01", "02", "03"]), ("r1", ["10", "11", "12", "13"]), ("all", ["r0", "r1"]),
                ("all", ["c0", "c1", "c2", "c3"]),
            ])
        // Two more hidden protect each small cell by itself, and not their sum.
        var plain = table.naive
        for name in ["02", "03", "r1"] { plain[Int(try table.column(name).value)] = false }
        for seed in UInt64(1)...5 {
            let pattern = try Self.pattern(table, seed: seed)
            #expect(Self.violations(of: pattern.publishing(only: plain), in: table).contains(.smallUnion(relation: 1)))
        }
    }

    @Test("a small cell that is published, or follows from what is")
    func computable() throws {
        let table = try SmallTable.line(["a": 60, "b": 37, "c": 3])
        let pattern = try Self.pattern(table)
        let cell = try table.column("c")
        let shown = pattern.publishing(Int(cell.value))
        #expect(Self.violations(of: shown, in: table).contains(.sensitivePublished(cell)))
        #expect(Self.violations(of: pattern.publishing(only: table.naive), in: table).contains(.computable(cell)))
    }

    @Test(
        "a witness that contradicts a published number, is no table, or leaves the cell alone that it claims to prove")
    func forgedWitness() throws {
        let table = try SmallTable.line(["a": 30, "b": 17, "c": 2, "d": 1])
        let pattern = try Self.pattern(table)
        let total = try table.column("total")
        #expect(pattern.isPublished[Int(total.value)])
        let place = try #require(pattern.witnesses.firstIndex { !$0.proves.isEmpty })
        let witness = pattern.witnesses[place]
        func violations(_ changes: [SuppressionPattern.Witness.Change]) -> [PatternVerifier.Violation] {
            var witnesses = pattern.witnesses
            witnesses[place] = .init(measure: witness.measure, changes: changes, proves: witness.proves)
            return Self.violations(of: pattern.claiming(witnesses: witnesses), in: table)
        }
        let first = try #require(witness.changes.first)
        let more = SuppressionPattern.Witness.Change(leaf: first.leaf, amount: first.amount + 1)
        #expect(violations([more] + Array(witness.changes.dropFirst())).contains(.contradicts(witness: place, total)))
        let negative = SuppressionPattern.Witness.Change(leaf: first.leaf, amount: -1_000)
        #expect(violations([negative]).contains(.impossible(witness: place)))
        #expect(violations([first, first]).contains(.impossible(witness: place)))
        let idle = violations([])
        for cell in witness.proves {
            #expect(idle.contains(.provesNothing(witness: place, cell)))
            #expect(idle.contains(.unproved(cell)))
        }
    }

    @Test("a pattern of another table")
    func otherShape() throws {
        let table = try SmallTable.line(["a": 60, "b": 37, "c": 3])
        let other = try SmallTable.line(["a": 60, "b": 40])
        #expect(Self.violations(of: try Self.pattern(other), in: table) == [.wrongShape])
    }
}
