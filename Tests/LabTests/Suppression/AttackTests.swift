import Testing
import throng_lab

/// The attacks that one table can show. Each is mounted on the naive pattern first.
@Suite struct AttackTests {
    /// Attacks the naive pattern, which must fail, and ours, which must not.
    private func mount(_ table: SmallTable, on broken: String) throws {
        let column = try table.column(broken)
        let naive = IntegerAttacker(table.problem, isPublished: table.naive)
        #expect(naive.weakness(of: column, measure: 0) != nil, "the control must be seen to fail")
        for seed in UInt64(1)..<6 {
            let pattern = try SuppressionEngine(options: SuppressionOptions(seed: seed, isStrict: true)).pattern(
                for: table.problem)
            #expect(pattern.unproved.isEmpty)
            let verifier = PatternVerifier(table.problem)
            #expect(verifier.violations(of: pattern, prime: 2_305_843_009_213_693_951, seed: seed).isEmpty)
            #expect(pattern.isPublished.contains(true), "hiding everything is no answer")
            let attacker = IntegerAttacker(table.problem, isPublished: pattern.isPublished)
            for sensitive in table.sensitive { #expect(attacker.weakness(of: sensitive, measure: 0) == nil) }
        }
    }

    @Test("attack 1: a margin less its published parts does not give the hidden one")
    func margin() throws {
        let table = try SmallTable.line(["a": 60, "b": 37, "c": 3])
        try mount(table, on: "c")
        let naive = BruteAttacker(table.problem, isPublished: table.naive, ceiling: 100)
        #expect(naive.values(of: try table.column("c")) == [3])
        let pattern = try SuppressionEngine(options: SuppressionOptions(seed: 1)).pattern(for: table.problem)
        let ours = BruteAttacker(table.problem, isPublished: pattern.isPublished, ceiling: 100)
        let values = ours.values(of: try table.column("c"))
        #expect(values.count > 1 && (values.last ?? 0) >= 5)
    }

    @Test("attack 2: two hidden cells in every line are not solved by differences of line sums")
    func cycle() throws {
        // Rows 1 + 2 less columns 1 + 2 leave the bridge (2, 3).
        let rows: [[Int64]] = [
            [3, 2, 40, 50, 30], [4, 3, 2, 60, 20], [30, 40, 3, 4, 50], [20, 50, 2, 3, 60], [70, 60, 50, 40, 30],
        ]
        var cells: [(String, [UInt32])] = []
        var sums: [(String, [String])] = []
        for row in 0..<5 { for column in 0..<5 { cells.append(("\(row)\(column)", [UInt32(row * 5 + column)])) } }
        for line in 0..<5 {
            cells.append(("r\(line)", (0..<5).map { UInt32(line * 5 + $0) }))
            sums.append(("r\(line)", (0..<5).map { "\(line)\($0)" }))
            cells.append(("c\(line)", (0..<5).map { UInt32($0 * 5 + line) }))
            sums.append(("c\(line)", (0..<5).map { "\($0)\(line)" }))
        }
        let table = try SmallTable(rows.flatMap { $0 }, cells: cells, sums: sums)
        #expect(
            IntegerAttacker(table.problem, isPublished: table.naive).weakness(of: try table.column("12"), measure: 0)
                == .unique)
        try mount(table, on: "12")
    }

    @Test("attack 3: a residual of two hidden cells is not under k")
    func residual() throws { try mount(try .line(["a": 30, "b": 17, "c": 2, "d": 1]), on: "c") }

    @Test("attack 4: a week over six published days does not give the seventh")
    func week() throws {
        try mount(try .line(["1": 20, "2": 31, "3": 18, "4": 9, "5": 2, "6": 40, "7": 22]), on: "5")
    }

    @Test("attack 5: rolling weeks a day apart do not give the day")
    func rollingWeeks() throws {
        let values: [Int64] = [20, 31, 18, 9, 12, 40, 22, 3]
        var cells: [(String, [UInt32])] = (0..<8).map { ("d\($0)", [UInt32($0)]) }
        cells.append(("week 1", Array(0..<7)))
        cells.append(("week 2", Array(1..<8)))
        try mount(
            try SmallTable(
                values, cells: cells,
                sums: [("week 1", (0..<7).map { "d\($0)" }), ("week 2", (1..<8).map { "d\($0)" })]), on: "d7")
    }

    @Test("attack 6: two partners with overlapping regions do not give the difference")
    func partners() throws {
        try mount(
            try SmallTable([200, 3_000, 2], cells: [("LI", [2]), ("AT+DE", [0, 1]), ("AT+DE+LI", [0, 1, 2])]), on: "LI")
    }

    @Test("attack 8: steps of a cumulative series do not give a small one")
    func cumulative() throws {
        var cells: [(String, [UInt32])] = (0..<6).map { ("d\($0)", [UInt32($0)]) }
        for day in 1..<6 { cells.append(("to \(day)", Array(0...UInt32(day)))) }
        try mount(try SmallTable([10, 20, 2, 30, 15, 8], cells: cells), on: "d2")
    }

    @Test("attack 9: two groupings that do not nest do not give the overlap")
    func groupings() throws {
        let table = try SmallTable(
            [40, 3, 20, 50],
            cells: [
                ("18-24", [0]), ("25-34", [1, 2]), ("18-29", [0, 1]), ("30-34", [2]), ("35-", [3]), ("25-29", [1]),
                ("all", [0, 1, 2, 3]),
            ])
        try mount(table, on: "25-29")
    }

    @Test("attack 10: singletons beside each other are not told to be ones")
    func singletons() throws { try mount(try .line(["a": 37, "b": 1, "c": 1, "d": 1, "e": 12]), on: "b") }

    @Test("attack 13: parts of a published whole that add to all of it do not give the hidden part")
    func shares() throws { try mount(try .line(["a": 55, "b": 41, "c": 4]), on: "c") }

    @Test("attack 14: the top three and the rest line do not give a small rest")
    func rest() throws { try mount(try .line(["first": 90, "second": 60, "third": 30, "rest": 4]), on: "rest") }

    @Test("attack 15: a null bucket is a part like any other")
    func nullBucket() throws { try mount(try .line(["ios": 500, "android": 700, "null": 3]), on: "null") }

    @Test("attack 24: the interval around a hidden sum reaches p % on both sides")
    func narrowInterval() throws {
        var cells: [(String, [UInt32])] = (0..<4).map { ("\($0)", [UInt32($0)]) }
        cells.append(("total", [0, 1, 2, 3]))
        // One holder dominates cell 0; the cheapest neighbour has room for 20 of the 48 that 10 % ask for.
        let table = try SmallTable(
            [480, 20, 300, 200], cells: cells, sums: [("total", ["0", "1", "2", "3"])], marked: ["0"],
            protection: .surrounds(percent: 10))
        try mount(table, on: "0")
        var narrow = table.naive
        narrow[1] = false
        let weakness = IntegerAttacker(table.problem, isPublished: narrow).weakness(of: ColumnIndex(0), measure: 0)
        #expect(weakness != nil, "a neighbour of 20 leaves room for 20 of 48")
    }
}
