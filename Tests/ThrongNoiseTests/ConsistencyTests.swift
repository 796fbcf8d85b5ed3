import Testing
import ThrongChance

@testable import ThrongNoise

@Suite("Drawn margins are made to add up")
struct ConsistencyTests {
    /// Three by four cells: their rows, their columns, and the cells themselves.
    private static func table(_ scales: (rows: Int64, columns: Int64, cells: Int64) = (4, 4, 9)) throws
        -> ConsistentTable
    {
        func noise(_ scale: Int64) throws -> NoiseDistribution { try .laplace(DiscreteLaplace(scale: Rational(scale))) }
        return ConsistentTable(
            cells: 12,
            groupings: [
                .init(cells: 3, places: (0..<12).map { $0 / 4 }, noise: try noise(scales.rows)),
                .init(cells: 4, places: (0..<12).map { $0 % 4 }, noise: try noise(scales.columns)),
                .init(cells: 12, places: Array(0..<12), noise: try noise(scales.cells)),
            ])
    }

    @Test("what adds up already stays as it is")
    func consistentStays() throws {
        let table = try Self.table()
        let counted: [Int64] = [5, 0, 7, 1, 0, 0, 30, 2, 9, 9, 0, 4]
        let drawn = table.sums(counted)
        let numbers = table.consistent(
            drawn, total: 67, drawnTotal: 67, errors: [1, 1, 1], isNonNegative: true)
        #expect(numbers.values == drawn)
        #expect(numbers.margins == [2, 2, 2])
    }

    @Test("whatever was drawn, rows, columns and cells add up to the total, and none is negative")
    func addsUp() throws {
        let table = try Self.table()
        var dice = SeededGenerator(seed: 3)
        for round in 0..<200 {
            let drawn = table.groupings.map { grouping in
                (0..<grouping.cells).map { _ in Int64(dice.next() % 81) - 40 + Int64(round % 3) * 10 }
            }
            let total = Int64(dice.next() % 200)
            let numbers = table.consistent(
                drawn, total: total, drawnTotal: total, errors: [0, 0, 0], isNonNegative: true)
            #expect(numbers.values.allSatisfy { $0.reduce(0, +) == total && $0.allSatisfy { $0 >= 0 } })
            #expect(table.sums(numbers.values[2]) == numbers.values)
            let signed = table.consistent(
                drawn, total: -total, drawnTotal: -total, errors: [0, 0, 0], isNonNegative: false)
            #expect(signed.values.allSatisfy { $0.reduce(0, +) == -total })
            #expect(table.sums(signed.values[2]) == signed.values)
        }
    }

    @Test("a single margin's cells share what they lack in equal parts; two of unlike noise by their variances")
    func leastSquares() throws {
        let noise = try NoiseDistribution.laplace(DiscreteLaplace(scale: Rational(2)))
        let single = ConsistentTable(cells: 4, groupings: [.init(cells: 4, places: [0, 1, 2, 3], noise: noise)])
        #expect(
            single.fit([[10, 20, 30, 40]], total: 120).map { ($0 * 1000).rounded() } == [15000, 25000, 35000, 45000])
        // One row says 10, its two cells 4 and 8; the other row takes the rest of the total. Minimise
        // (a + b − 10)² / 1 + ((a − 4)² + (b − 8)²) / 4 + (c + d − 10)² / 1 + ((c − 5)² + (d − 5)²) / 4 with a + b + c + d = 20:
        // with a + b = 10 + e it is e² + (2 − e)² / 8 + e² + e² / 8, so e = 1/9.
        let fine = try NoiseDistribution.laplace(DiscreteLaplace(scale: Rational(1)))
        let two = ConsistentTable(
            cells: 4,
            groupings: [
                .init(cells: 2, places: [0, 0, 1, 1], noise: fine),
                .init(cells: 4, places: [0, 1, 2, 3], noise: noise),
            ])
        let fitted = two.fit([[10, 10], [4, 8, 5, 5]], total: 20)
        #expect(abs(fitted[0] + fitted[1] - 10 - 1.0 / 9) < 1e-6)
        #expect(abs(fitted[1] - fitted[0] - 4) < 1e-6)
    }

    @Test("without bounds an error is the same combination of noises whatever was counted")
    func linear() throws {
        let table = try Self.table()
        let counted: [Double] = [500, 0, 70, 1, 0, 0, 300, 2, 9, 9000, 0, 4]
        var bits = RandomBits(SeededGenerator(seed: 8))
        for _ in 0..<20 {
            let noise = table.groupings.map { grouping in
                (0..<grouping.cells).map { _ in Double(grouping.noise.sample(using: &bits)) }
            }
            let drawn = zip(table.sums(counted), noise).map { zip($0, $1).map { $0 + $1 } }
            let full = table.fit(drawn, total: counted.reduce(0, +) + 3)
            let alone = table.fit(noise, total: 3)
            #expect(zip(full, zip(counted, alone)).allSatisfy { abs($0 - $1.0 - $1.1) < 1e-6 })
        }
    }

    @Test("errors of least squares are below those of what was drawn")
    func errors() throws {
        let table = try Self.table()
        let total = try NoiseDistribution.laplace(DiscreteLaplace(scale: Rational(2)))
        let errors = try table.errors(total: total)
        for (grouping, error) in zip(table.groupings, errors) {
            #expect(error <= Double(try grouping.noise.margin(missing: NoiseDistribution.oneInTwenty)))
            #expect(error > 0)
        }
        #expect(try table.errors(total: total) == errors)
    }
}
