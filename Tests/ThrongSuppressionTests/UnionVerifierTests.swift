import SuppressionOracle
import Testing
import ThrongSuppression

@Suite("Promise 5: unions of small leaves that published numbers tell are looked at again by other code")
struct UnionVerifierTests {
    private static let k: Int64 = 20

    /// A grid of some rows and columns, of which some cells are small, with any of its other numbers published.
    private struct Grid {
        let problem: SuppressionProblem
        let isPublished: [Bool]
        let small: [UInt32]
        let values: [Int64]

        init(seed: UInt64, forced: Int = 0) throws {
            var random = SecretGenerator(seed: seed)
            let (rows, columns) = (
                Int.random(in: 3...5, using: &random), Int.random(in: 3...5, using: &random)
            )
            var values = (0..<rows * columns).map { _ in Int64.random(in: 20...90, using: &random) }
            for leaf in values.indices.shuffled(using: &random).prefix(Int.random(in: 2...9, using: &random)) {
                values[leaf] = Int64.random(in: 1...19, using: &random)
            }
            self.values = values
            small = values.indices.filter { values[$0] < k }.map { UInt32($0) }
            var lists = values.indices.map { [UInt32($0)] }
            lists += (0..<rows).map { row in (0..<columns).map { UInt32(row * columns + $0) } }
            lists += (0..<columns).map { column in (0..<rows).map { UInt32($0 * columns + column) } }
            // Groups of two rows, as a coarser dimension has them.
            lists += (0..<rows / 2).map { pair in (0..<2 * columns).map { UInt32(2 * pair * columns + $0) } }
            lists.append(values.indices.map { UInt32($0) })
            let cells = lists.enumerated().map { place, leaves in
                let value = leaves.reduce(Int64(0)) { $0 + values[Int($1)] }
                return CandidateCell(
                    floor: value, cost: 1 + value, isSensitive: value < k, isForced: value >= k && place % 7 < forced)
            }
            problem = try SuppressionProblem(
                measures: [AdditiveMeasure(values: values, protection: .reachesThreshold)], columns: IndexLists(lists),
                cells: cells, relations: [], threshold: k,
                unionFloor: { parts in parts.reduce(0) { $0 + cells[Int($1.value)].floor } })
            isPublished = cells.map { cell in
                !cell.isSensitive && (cell.isForced || Int.random(in: 0..<4, using: &random) > 0)
            }
        }

        /// Unions under k that published numbers tell and forced ones do not, by trying every set of small leaves.
        func told(by published: [Bool]) -> Int {
            let all = Span(problem, published)
            let ledger = Span(problem, problem.cells.map(\.isForced))
            return (1..<(1 << small.count)).count { bits in
                let union = small.indices.filter { bits >> $0 & 1 == 1 }.map { small[$0] }
                return union.reduce(0) { $0 + values[Int($1)] } < k && all.has(union) && !ledger.has(union)
            }
        }
    }

    /// What some columns span, by elimination in fractions of whole numbers modulo a small prime.
    private struct Span {
        private var rows: [(pivot: Int, values: [Int])] = []
        private let width: Int
        private static let prime = 2_147_483_647

        init(_ problem: SuppressionProblem, _ isPublished: [Bool]) {
            width = problem.leafCount
            for column in problem.cells.indices where isPublished[column] {
                var vector = reduced(problem.columns[column])
                guard let pivot = vector.firstIndex(where: { $0 != 0 }) else { continue }
                var (inverse, base, exponent) = (1, vector[pivot], Self.prime - 2)
                while exponent > 0 {
                    if exponent & 1 == 1 { inverse = inverse * base % Self.prime }
                    base = base * base % Self.prime
                    exponent >>= 1
                }
                vector = vector.map { $0 * inverse % Self.prime }
                rows.append((pivot, vector))
            }
        }

        private func reduced(_ leaves: some Sequence<UInt32>) -> [Int] {
            var vector = Array(repeating: 0, count: width)
            for leaf in leaves { vector[Int(leaf)] = 1 }
            for row in rows where vector[row.pivot] != 0 {
                let factor = Self.prime - vector[row.pivot]
                for leaf in vector.indices { vector[leaf] = (vector[leaf] + factor * row.values[leaf]) % Self.prime }
            }
            return vector
        }

        func has(_ leaves: [UInt32]) -> Bool { reduced(leaves).allSatisfy { $0 == 0 } }
    }

    private static func found(_ grid: Grid, _ published: [Bool]) -> UnionVerifier.Outcome {
        var random = SecretGenerator(seed: 3)
        return UnionVerifier(grid.problem, prime: RandomPrime.draw(using: &random), seed: random.next())
            .outcome(publishing: published, until: .now + .seconds(60))
    }

    @Test("it finds something exactly where trying every union does", arguments: [0, 1])
    func enumeration(forced: Int) throws {
        var telling = 0
        for seed in UInt64(1)...150 {
            let grid = try Grid(seed: seed, forced: forced)
            let told = grid.told(by: grid.isPublished)
            let found = Self.found(grid, grid.isPublished)
            #expect((told > 0) == (found.faults > 0) && found.unexamined == 0, "seed \(seed): \(told), \(found)")
            if told > 0 { telling += 1 }
        }
        #expect(telling > 15 && telling < 150, "\(telling) of 150 grids tell something")
    }

    @Test("what the search leaves passes")
    func repaired() throws {
        var repaired = 0
        for seed in UInt64(1)...150 {
            let grid = try Grid(seed: seed)
            let hidden = UnionRepair(grid.problem, seconds: 60).hidden(given: grid.isPublished)
            let left = grid.isPublished.indices.map {
                grid.isPublished[$0] && !hidden.contains(ColumnIndex(UInt32($0)))
            }
            #expect(Self.found(grid, left).faults == 0, "seed \(seed)")
            if !hidden.isEmpty { repaired += 1 }
        }
        #expect(repaired > 15)
    }

    @Test("without any time the search leaves nothing of what is small and finest")
    func noTime() throws {
        let grid = try Grid(seed: 1)
        let hidden = UnionRepair(grid.problem, seconds: -1).hidden(given: grid.isPublished)
        let small = Set(grid.small)
        let left = grid.isPublished.indices.filter {
            grid.isPublished[$0] && grid.problem.columns[$0].contains(where: small.contains)
        }
        #expect(!left.isEmpty && Set(left.map { ColumnIndex(UInt32($0)) }) == hidden)
        #expect(
            Self.found(
                grid, grid.isPublished.indices.map { grid.isPublished[$0] && !hidden.contains(ColumnIndex(UInt32($0))) }
            ).faults == 0)
    }
}
