import Testing
import throng_lab

@Suite("Attack 10: a device that is alone in a cell can't compute another small cell with its own number")
struct SingletonTests {
    /// Three by three with all margins; ones are singletons.
    private static func square(_ values: [Int64]) throws -> SmallTable {
        var cells: [(String, [UInt32])] = (0..<9).map { ("\($0 / 3)\($0 % 3)", [UInt32($0)]) }
        var sums: [(String, [String])] = [("all", ["r0", "r1", "r2"]), ("all", ["c0", "c1", "c2"])]
        for line in 0..<3 {
            cells.append(("r\(line)", (0..<3).map { UInt32(line * 3 + $0) }))
            sums.append(("r\(line)", (0..<3).map { "\(line)\($0)" }))
            cells.append(("c\(line)", (0..<3).map { UInt32($0 * 3 + line) }))
            sums.append(("c\(line)", (0..<3).map { "\($0)\(line)" }))
        }
        cells.append(("all", Array(0..<9)))
        return try SmallTable(values, cells: cells, sums: sums)
    }

    /// Small cells that one singleton's device works out, over all tables that agree with what is published and with
    /// it.
    private static func peeled(_ table: SmallTable, _ isPublished: [Bool]) -> [String] {
        var found: [String] = []
        for singleton in table.sensitive where table.problem.value(of: singleton, measure: 0) == 1 {
            var seen = isPublished
            seen[Int(singleton.value)] = true
            let insider = BruteAttacker(table.problem, isPublished: seen, ceiling: 60)
            for cell in table.sensitive where cell != singleton && !isPublished[Int(cell.value)] {
                if insider.values(of: cell).count == 1 {
                    found.append("\(table.names[Int(singleton.value)]) learns \(table.names[Int(cell.value)])")
                }
            }
        }
        return found
    }

    @Test("two hidden in every line, one of them a singleton: its device solves the cycle, and we hide more")
    func cycle() throws {
        let table = try Self.square([1, 9, 30, 8, 2, 20, 40, 30, 50])
        // Hiding the two small ones and the other corners of their square protects them from everybody else.
        var plain = Array(repeating: true, count: table.names.count)
        for name in ["00", "01", "10", "11"] { plain[Int(try table.column(name).value)] = false }
        let outsider = IntegerAttacker(table.problem, isPublished: plain)
        for cell in table.sensitive { #expect(outsider.weakness(of: cell, measure: 0) == nil) }
        #expect(Self.peeled(table, plain) == ["00 learns 11"], "the control must be seen to fail")
        for seed in UInt64(1)...5 {
            let pattern = try SuppressionEngine(options: SuppressionOptions(seed: seed, isStrict: true)).pattern(
                for: table.problem)
            #expect(Self.peeled(table, pattern.isPublished) == [])
            #expect(pattern.isPublished.contains(true))
        }
        let forged = try SuppressionEngine(options: SuppressionOptions(seed: 1)).pattern(
            for: table.problem
        ).publishing(only: plain)
        #expect(
            PatternVerifier(table.problem).violations(of: forged, prime: 2_305_843_009_213_693_951, seed: 1).contains(
                .peeled(try table.column("11"), by: .leaf(LeafIndex(0)))))
    }

    @Test("in random tables full of singletons none of them learns a small cell, whatever the order of elimination")
    func randomTables() throws {
        var naivePeeled = 0
        var ours: [String] = []
        var published = 0
        for seed in UInt64(1)...25 {
            var random = SecretGenerator(seed: seed)
            let values = (0..<9).map { _ -> Int64 in
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<2: 1
                case 2..<4: Int64.random(in: 2...4, using: &random)
                default: Int64.random(in: 5...7, using: &random)
                }
            }
            let table = try Self.square(values)
            let pattern = try SuppressionEngine(options: SuppressionOptions(seed: seed)).pattern(for: table.problem)
            #expect(
                PatternVerifier(table.problem).violations(of: pattern, prime: 2_305_843_009_213_693_951, seed: seed)
                    .isEmpty)
            ours += Self.peeled(table, pattern.isPublished).map { "\(values): \($0)" }
            if !Self.peeled(table, table.naive).isEmpty { naivePeeled += 1 }
            published += pattern.isPublished.count { $0 }
        }
        #expect(ours == [])
        #expect(naivePeeled > 5, "the control must be seen to fail")
        #expect(published > 25 * 3, "hiding everything is no answer")
    }
}
