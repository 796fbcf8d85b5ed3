import Testing
import ThrongSuppression

@Suite("What the ledger is said to give away is worked out by the verification itself")
struct ExcuseTests {
    private static let prime: UInt64 = 2_305_843_009_213_693_951

    private static func pattern(_ table: SmallTable) throws -> SuppressionPattern {
        try SuppressionEngine(options: SuppressionOptions(seed: 1)).pattern(for: table.problem)
    }

    private static func violations(
        of pattern: SuppressionPattern, in table: SmallTable
    ) -> [PatternVerifier.Violation] {
        PatternVerifier(table.problem).violations(of: pattern, prime: prime, seed: 3)
    }

    @Test("a cell that forced cells determine may be called pinned")
    func pinned() throws {
        let table = try SmallTable(
            [60, 37, 3], cells: [("a", [0]), ("b", [1]), ("c", [2]), ("total", [0, 1, 2])], forced: ["a", "b", "total"])
        let pattern = try Self.pattern(table)
        #expect(pattern.pinned == [try table.column("c")])
        #expect(Self.violations(of: pattern, in: table).isEmpty)
    }

    @Test("a cell that only today's cells determine can't be passed off as pinned by the ledger")
    func forgedPin() throws {
        let table = try SmallTable(
            [60, 37, 3], cells: [("a", [0]), ("b", [1]), ("c", [2]), ("total", [0, 1, 2])],
            sums: [("total", ["a", "b", "c"])], forced: ["total"])
        let cell = try table.column("c")
        let pattern = try Self.pattern(table)
        #expect(Self.violations(of: pattern, in: table).isEmpty)
        let forged = pattern.claiming(pinned: [cell])
        #expect(Self.violations(of: forged, in: table).contains(.notPinned(cell)))
        // With everything else published the cell is computable, and the false claim no longer hides that.
        var leaking = forged
        for name in ["a", "b"] { leaking = leaking.publishing(Int(try table.column(name).value)) }
        #expect(Self.violations(of: leaking, in: table).contains(.computable(cell)))
        let shown = forged.publishing(Int(cell.value))
        #expect(Self.violations(of: shown, in: table).contains(.sensitivePublished(cell)))
    }

    @Test("a cell that forced cells bound and do not determine is unproved, not pinned")
    func bounded() throws {
        // The ledger's sum of two leaves is 4: each is under 5, and neither is known.
        let table = try SmallTable(
            [2, 2, 60], cells: [("a", [0]), ("b", [1]), ("ab", [0, 1]), ("c", [2]), ("total", [0, 1, 2])],
            forced: ["ab"])
        let pattern = try Self.pattern(table)
        let cells = [try table.column("a"), try table.column("b")]
        #expect(pattern.pinned == [try table.column("ab")])
        #expect(Set(pattern.unproved) == Set(cells))
        #expect(
            Self.violations(of: pattern.claiming(pinned: pattern.pinned + cells), in: table).contains(
                .notPinned(cells[0])))
    }

    @Test("a relation may be called open where forced cells tell its small union")
    func open() throws {
        let table = try SmallTable(
            [60, 2, 2], cells: [("a", [0]), ("b", [1]), ("c", [2]), ("total", [0, 1, 2])],
            sums: [("total", ["a", "b", "c"])], forced: ["a", "total"])
        let pattern = try Self.pattern(table)
        #expect(pattern.openRelations == [0])
        #expect(Self.violations(of: pattern, in: table).isEmpty)
    }

    @Test("a relation that hiding one of today's cells would close can't be passed off as open")
    func forgedOpen() throws {
        let table = try SmallTable(
            [60, 37, 2, 2], cells: [("a", [0]), ("b", [1]), ("c", [2]), ("d", [3]), ("total", [0, 1, 2, 3])],
            sums: [("total", ["a", "b", "c", "d"])], forced: ["a", "total"])
        let pattern = try Self.pattern(table)
        #expect(pattern.openRelations.isEmpty)
        #expect(!pattern.isPublished[1])
        let forged = pattern.publishing(1).claiming(openRelations: [0])
        #expect(Self.violations(of: forged, in: table).contains(.notOpen(relation: 0)))
        #expect(Self.violations(of: forged.claiming(openRelations: [7]), in: table) == [.wrongShape])
    }

    @Test("a small union below a sum that nobody asked for, but everybody can compute, is not left open")
    func computableParent() throws {
        // Two rows by four columns: the second row's sum is not asked for and follows from the total and the first row.
        let values: [Int64] = [20, 30, 40, 25, 60, 50, 2, 1]
        var cells: [(String, [UInt32])] = (0..<8).map { ("\($0 / 4)\($0 % 4)", [UInt32($0)]) }
        cells += [("r0", [0, 1, 2, 3]), ("r1", [4, 5, 6, 7]), ("all", Array(0..<8))]
        cells += (0..<4).map { ("c\($0)", [UInt32($0), UInt32($0 + 4)]) }
        let table = try SmallTable(
            values, cells: cells,
            sums: [
                ("r0", ["00", "01", "02", "03"]), ("r1", ["10", "11", "12", "13"]), ("all", ["r0", "r1"]),
                ("all", ["c0", "c1", "c2", "c3"]),
            ], offered: Set(cells.map(\.0)).subtracting(["r1"]))
        // Two more hidden protect each small cell by itself, and not their sum.
        var plain = table.naive
        for name in ["02", "03"] { plain[Int(try table.column(name).value)] = false }
        for seed in UInt64(1)...5 {
            let pattern = try SuppressionEngine(options: SuppressionOptions(seed: seed)).pattern(for: table.problem)
            let control = Self.violations(of: pattern.publishing(only: plain), in: table)
            #expect(control.contains(.smallUnion(relation: 1)), "the control must be seen to fail")
            #expect(pattern.openRelations.isEmpty)
            #expect(Self.violations(of: pattern, in: table).isEmpty)
        }
    }

    @Test("a sum of small cells only is published with its own floor, since nothing is subtracted from it")
    func wholeOfSmallOnes() throws {
        // Forty devices see three pages each; which ones is not known, so a union's floor is its largest part's.
        let cells = (0..<4).map { ColumnIndex($0) }
        let problem = try SuppressionProblem(
            measures: [AdditiveMeasure(values: [12, 9, 11], protection: .surrounds(percent: 10))],
            columns: IndexLists([[0], [1], [2], [0, 1, 2]]),
            cells: [3, 4, 4, 11].map { CandidateCell(floor: $0, cost: $0, isSensitive: $0 < 5) },
            relations: [AdditiveRelation(parent: cells[3], children: Array(cells[0..<3]))], threshold: 5)
        let pattern = try SuppressionEngine(options: SuppressionOptions(seed: 1)).pattern(for: problem)
        #expect(pattern.isPublished == [false, false, false, true])
        #expect(PatternVerifier(problem).violations(of: pattern, prime: Self.prime, seed: 1).isEmpty)
    }
}
