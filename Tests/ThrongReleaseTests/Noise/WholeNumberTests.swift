import Testing
import ThrongSystem

@testable import ThrongNoise

@Suite("Whole-number combinations: lemmas 1 and 2 on all small cases, Theorem 2 on many")
struct WholeNumberTests {
    @Test(
        "lemma 1: counts of devices by sets of two to four occasions have whole, unique coefficients", arguments: 2...4)
    func occasions(count: Int) throws {
        // h_E(A) is whether A meets E. A determinant of ±1 is what both claims say.
        let sets = Array(1..<(1 << count))
        #expect(try Self.determinant(sets.map { set in sets.map { $0 & set == 0 ? 0 : 1 } }).magnitude == 1)
        // Control: counts of events, which are linear in each other, are no such thing.
        let events = sets.map { set in sets.map { ($0 & set).nonzeroBitCount } }
        #expect(try Self.determinant(events) == 0)
    }

    @Test("control: a triangle of event counts has halves")
    func triangle() throws {
        #expect(try Self.determinant([[1, 1, 0], [0, 1, 1], [1, 0, 1]]).magnitude == 2)
    }

    @Test(
        "lemma 2: no table of whole numbers has a shorter interaction than r(S), and one has it exactly",
        arguments: [[2], [3], [5], [2, 3], [3, 3], [2, 2, 2], [2, 2, 3]])
    func interactions(buckets: [Int]) throws {
        let lattice = try Lattice(
            fields: buckets.map { try Field(buckets: $0) }, groupings: [FieldSet(buckets.indices)])
        let cells = buckets.reduce(1, *)
        let values = cells < 8 ? [Int64](-1...1) : [0, 1]
        var least: Int128?
        var table = Array(repeating: values[0], count: cells)
        var places = Array(repeating: 0, count: cells)
        search: while true {
            let interaction = try InteractionTable(table, of: FieldSet(buckets.indices), in: lattice)
            let length = interaction.cells.reduce(0) { $0 + $1 * $1 }
            if length > 0 { least = min(least ?? length, length) }
            var cell = 0
            while true {
                guard cell < cells else { break search }
                places[cell] = (places[cell] + 1) % values.count
                table[cell] = values[places[cell]]
                if places[cell] > 0 { break }
                cell += 1
            }
        }
        let square = Int128(cells) * Int128(cells)
        let found = try Rational(#require(least), over: square)
        let rest = try lattice.rest(of: FieldSet(buckets.indices))
        #expect(found == rest)
        // Control: the lemma would not hold of anything larger, such as the product without its largest field.
        let larger = try LayerVariance.rest(of: Array(buckets.sorted().dropFirst()))
        #expect(found < larger)
    }

    @Test("no whole-number combination of numbers is closer than √V, and some single cell's interaction is as close")
    func theorem2() throws {
        let lattice = try Lattice(
            fields: [Field(buckets: 3), Field(buckets: 2)], groupings: [[], [0], [1], [0, 1]])
        let least = Rational(25)
        var generator = SeededGenerator(seed: 2)
        var (closest, whole, halves) = (Rational(1000), 0, Rational(1000))
        for round in 0..<600 {
            var combination = Combination()
            var half = Combination(over: 2)
            for grouping in lattice.groupings {
                for cell in 0..<lattice.cells(of: grouping) where generator.next() % 4 < 1 + round % 3 {
                    let coefficient = Int64(generator.next() % 3) - 1
                    combination.add(coefficient, grouping, cell)
                    half.add(coefficient, grouping, cell)
                }
            }
            guard try lattice.isWhole(combination) else { continue }
            whole += 1
            closest = min(closest, try lattice.variance(of: combination, least: [least]))
            halves = min(halves, try lattice.variance(of: half, least: [least]))
        }
        #expect(whole > 500)
        // Both layers of one day.
        #expect(closest >= Rational(50))
        // Control: the same with halves is closer.
        #expect(halves < Rational(50))
        var cell = Combination()
        cell.add(1, [0, 1], 0)
        cell.add(-1, [0, 1], 1)
        cell.add(1, [0, 1], 3)
        cell.add(-1, [0, 1], 2)
        #expect(try lattice.variance(of: cell, least: [least]) > Rational(50))
        var total = Combination()
        total.add(1, [], 0)
        #expect(try lattice.variance(of: total, least: [least]) == Rational(50))
    }

    private static func determinant(_ rows: [[Int]]) throws -> Int128 {
        // Bareiss's elimination: every division is exact.
        var rows = rows.map { $0.map { Int128($0) } }
        var (before, sign) = (Int128(1), Int128(1))
        for place in rows.indices.dropLast() {
            guard let pivot = (place..<rows.count).first(where: { rows[$0][place] != 0 }) else { return 0 }
            if pivot != place {
                rows.swapAt(pivot, place)
                sign = -sign
            }
            for row in place + 1..<rows.count {
                for column in place + 1..<rows.count {
                    rows[row][column] =
                        (rows[row][column] * rows[place][place] - rows[row][place] * rows[place][column]) / before
                }
            }
            before = rows[place][place]
        }
        return sign * (rows.last?.last ?? 1)
    }
}
