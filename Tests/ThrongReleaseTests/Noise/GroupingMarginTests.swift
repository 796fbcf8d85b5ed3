import Foundation
import Testing

@testable import ThrongNoise

@Suite("Margins of groupings: what is stated holds, and is hardly too wide")
struct GroupingMarginTests {
    private static func lattice(_ buckets: [Int]) throws -> Lattice {
        try Lattice(fields: buckets.map { try Field(buckets: $0) }, groupings: FieldSet(buckets.indices).subsets)
    }

    /// The exact law by convolution, draw by draw: chances of each multiple of 1 over the denominator from 0 on, and beyond.
    private static func tails(_ lattice: Lattice, _ grouping: FieldSet, variance: Rational) throws -> [Double] {
        var law = [0: 1.0]
        for part in grouping.subsets {
            let width = try variance.divided(by: lattice.rest(of: part)).approximate
            let reach = Int(9 * width.squareRoot()) + 2
            let weights = (-reach...reach).map { Foundation.exp(-Double($0 * $0) / 2 / width) }
            let whole = weights.reduce(0, +)
            for cell in 0..<lattice.cells(of: part) {
                // A unit in that cell adds this to the first cell of the grouping.
                var unit = Array(repeating: Int64(0), count: lattice.cells(of: part))
                unit[cell] = 1
                let factor = Int(try InteractionTable(unit, of: part, in: lattice).cells[0])
                for _ in ["kept", "fresh"] {
                    var next: [Int: Double] = [:]
                    for (sum, chance) in law where chance > 1e-18 {
                        for (place, weight) in weights.enumerated() {
                            next[sum + factor * (place - reach), default: 0] += chance * weight / whole
                        }
                    }
                    law = next
                }
            }
        }
        let most = law.keys.max() ?? 0
        var tails = Array(repeating: 0.0, count: most + 2)
        for place in (0...most).reversed() { tails[place] = tails[place + 1] + (law[place] ?? 0) }
        return tails
    }

    @Test(
        "the law of a number's noise is the exact convolution of its draws",
        arguments: [([], "25"), ([3], "25/16"), ([2, 2], "25/16"), ([4], "1/4")])
    func law(buckets: [Int], variance: String) throws {
        let (lattice, variance) = (try Self.lattice(buckets), try Rational(parsing: variance))
        let grouping = FieldSet(buckets.indices)
        let exact = try Self.tails(lattice, grouping, variance: variance)
        let law = try lattice.law(of: grouping, draws: lattice.draws(least: variance))
        for (place, tail) in exact.enumerated().dropFirst() where tail > 1e-12 {
            let stated = law.tail(from: Int128(place))
            #expect(stated >= tail)
            #expect(stated <= tail + 3e-9)
        }
        // Theorem 1: a number of exactly k reaches k + m in 1 of 40 cases at most, and m is the smallest such number.
        let margin = try lattice.margin(of: grouping, draws: lattice.draws(least: variance))
        let unit = Int(law.denominator)
        #expect(exact[Int(margin.publication) * unit] <= 0.025)
        #expect(exact[Int(margin.publication - 1) * unit] > 0.025)
        // 19 of 20 are within the margin, and fewer within the next smaller one.
        let drawn = Int(try margin.drawn.multiplied(by: Rational(Int64(unit))).floor)
        #expect(2 * exact[drawn + 1] <= 0.05)
        #expect(2 * exact[drawn] > 0.05)
    }

    @Test("margins of the page: 14 for a total, 14 by six systems, 14.7 by three screens, 17 by two fields of two")
    func page() throws {
        func margin(_ buckets: [Int]) throws -> GroupingMargin {
            let lattice = try Self.lattice(buckets)
            return try lattice.margin(of: FieldSet(buckets.indices), draws: lattice.draws(least: Rational(25)))
        }
        #expect(try margin([]).variance == Rational(50))
        #expect(try margin([]).drawn == Rational(14))
        #expect(try margin([6]).variance == Rational(50 * 37, over: 36))
        #expect(try margin([6]).drawn == Rational(14))
        #expect(try margin([3]).drawn == Rational(44, over: 3))
        #expect(try margin([2, 2]).variance == Rational(625, over: 8))
        #expect(try [17, 18].contains(margin([2, 2]).drawn.floor))
        #expect(try margin([]).stated(moved: .zero) == 14)
        #expect(try margin([6]).stated(moved: Rational(1, over: 2)) == 14)
        // A field of very many buckets: nearly whole numbers, and no smooth law.
        #expect(try (13...15).contains(margin([2000]).publication))
    }

    @Test("kept noise that rose counts with all its draws")
    func risen() throws {
        let lattice = try Self.lattice([])
        let risen = try lattice.margin(
            of: [],
            draws: [[]: [CellDraws(variance: Rational(25), count: 2), CellDraws(variance: Rational(225, over: 16))]])
        #expect(try risen.variance == Rational(1025, over: 16))
        #expect(risen.drawn > Rational(14))
        #expect(throws: NoiseError.notOfTheLattice) { try lattice.margin(of: [], draws: [:]) }
    }

    @Test("empirical variances of cells are 2V·Π(1 + 1/n²), and are not where layers are narrower than V / r(S)")
    func variances() throws {
        let rounds = 1000
        func ratios(_ trial: Trial) throws -> [FieldSet: Double] {
            var sums: [FieldSet: Double] = [:]
            for round in 0..<rounds {
                let drawn = try trial.drawn(Array(repeating: 0, count: 6), round: round)
                for grouping in trial.lattice.groupings {
                    let numbers = try trial.lattice.numbers(of: grouping, from: drawn)
                    for cell in numbers.cells {
                        let noise = Double(cell) / Double(numbers.denominator)
                        sums[grouping, default: 0] += noise * noise / Double(rounds * numbers.cells.count)
                    }
                }
            }
            let draws = try trial.lattice.draws(least: Rational(25))
            var ratios: [FieldSet: Double] = [:]
            for (grouping, sum) in sums {
                ratios[grouping] =
                    sum / (try trial.lattice.margin(of: grouping, draws: draws).variance.approximate)
            }
            return ratios
        }
        // A single cell's variance is off by 4.5 % over 1,000 rounds.
        for ratio in try ratios(Trial([3, 2], rounds: rounds)).values { #expect(abs(ratio - 1) < 0.13) }
        let narrow = try Trial([3, 2], rounds: rounds) { _, _ in try LayerVariance(threshold: 20, buckets: []) }
        let wrong = try ratios(narrow)
        #expect(abs((wrong[[]] ?? 0) - 1) < 0.13)
        for grouping in [[0], [1], [0, 1]] as [FieldSet] { #expect((wrong[grouping] ?? 1) < 0.87) }
    }

    @Test("19 of 20 numbers are within what their release states; half the margin is too little")
    func coverage() throws {
        let (buckets, rounds) = ([3, 2], 500)
        let trial = try Trial(buckets, rounds: rounds)
        let counted = Trial.crowd(300, buckets, seed: 9)
        var (held, narrow, numbers) = (0, 0, 0)
        var margins: [FieldSet: (GroupingMargin, GroupingMargin)] = [:]
        for grouping in trial.lattice.groupings {
            margins[grouping] = try (
                trial.lattice.margin(of: grouping, draws: trial.lattice.draws(least: Rational(25))),
                trial.lattice.margin(of: grouping, draws: trial.lattice.draws(least: Rational(25, over: 4)))
            )
        }
        for round in 0..<rounds {
            let drawn = try trial.drawn(counted, round: round)
            for grouping in trial.lattice.groupings {
                let table = try trial.lattice.numbers(of: grouping, from: drawn)
                let (margin, half) = try #require(margins[grouping])
                let whole = table.whole
                let stated = try margin.stated(moved: table.farthest(whole))
                for (cell, number) in trial.sums(of: counted, by: grouping).enumerated() {
                    numbers += 1
                    held += abs(whole[cell] - number) <= stated ? 1 : 0
                    narrow += abs(whole[cell] - number) <= (try half.stated(moved: table.farthest(whole))) ? 1 : 0
                }
            }
        }
        #expect(Double(held) / Double(numbers) > 0.95)
        #expect(Double(held) / Double(numbers) < 0.98)
        #expect(Double(narrow) / Double(numbers) < 0.85)
    }

    @Test("a cell of exactly k is published in 1 of 40 cases at most, one of k − 1 never")
    func published() throws {
        let rounds = 1200
        let trial = try Trial([3], groupings: [[0]], rounds: rounds)
        let margin = try trial.lattice.margin(of: [0], draws: trial.lattice.draws(least: Rational(25)))
        let rule = PublicationRule(threshold: 20, margin: margin.publication)
        func published(_ devices: Int64, by rule: PublicationRule) throws -> Int {
            try (0..<rounds).count { round in
                let drawn = try trial.drawn([devices, 90, 40], round: round)
                let table = try trial.lattice.numbers(of: [0], from: drawn)
                return rule.publishes(floor: devices, whole: table.whole[0], drawn: table, at: 0)
            }
        }
        // 30 are allowed, and 41 are two standard deviations more.
        #expect(try (1...41).contains(published(20, by: rule)))
        #expect(try published(19, by: rule) == 0)
        #expect(try published(20 + 3 * margin.publication, by: rule) > rounds * 99 / 100)
        // Control: a rule without the margin publishes every other one.
        #expect(try published(20, by: PublicationRule(threshold: 20, margin: 0)) > rounds / 3)
    }
}
