/// Two random vectors over leaves, modulo a random prime, that are orthogonal to every published column.
///
/// A cell on which they do not vanish is certainly outside the span of the published columns modulo the prime, however
/// the vectors were made. That is the claim of L1, and the reason why this can be short. A cell on which they vanish
/// lies in the span, or is one of a share of 2^−120 on which they vanish by chance.
struct NullProbe {
    private let vectors: [[UInt64]]
    private let prime: UInt64
    /// A published column on which the vectors do not vanish: the elimination below is wrong. Never expected.
    private(set) var contradicted: Int?

    init(_ columns: IndexLists, leafCount: Int, published: [Bool], prime: UInt64, seed: UInt64) {
        self.prime = prime
        var random = SecretGenerator(seed: seed)
        let order = (0..<columns.count).filter { published[$0] && columns.length(of: $0) > 0 }
            .sorted { columns.length(of: $0) < columns.length(of: $1) }
        // Row echelon form, shortest columns first. A pivot's equation holds no leaf that was a pivot before it.
        var pivotRank: [Int] = Array(repeating: -1, count: leafCount)
        var equations: [(pivot: Int, others: [(leaf: Int, coefficient: UInt64)])] = []
        var value: [UInt64] = Array(repeating: 0, count: leafCount)
        var isPresent = Array(repeating: false, count: leafCount)
        // The number of equations that use a leaf: the rarest makes the best pivot.
        var uses = Array(repeating: 0, count: leafCount)
        for place in order {
            var present: [Int] = []
            var waiting = RankQueue()
            func add(_ leaf: Int, _ amount: UInt64) {
                if !isPresent[leaf] {
                    isPresent[leaf] = true
                    present.append(leaf)
                    if pivotRank[leaf] >= 0 { waiting.push(pivotRank[leaf]) }
                }
                let sum = value[leaf] + amount
                value[leaf] = sum >= prime ? sum - prime : sum
            }
            for leaf in columns[place] { add(Int(leaf), 1) }
            while let rank = waiting.pop() {
                let equation = equations[rank]
                let factor = value[equation.pivot]
                value[equation.pivot] = 0
                if factor == 0 { continue }
                for other in equation.others { add(other.leaf, Self.product(factor, other.coefficient, prime)) }
            }
            var pivot = -1
            for leaf in present where value[leaf] != 0 && (pivot < 0 || (uses[leaf], leaf) < (uses[pivot], pivot)) {
                pivot = leaf
            }
            if pivot >= 0 {
                let scale = prime - Self.inverse(value[pivot], prime)
                var others: [(leaf: Int, coefficient: UInt64)] = []
                for leaf in present where leaf != pivot && value[leaf] != 0 {
                    others.append((leaf, Self.product(scale, value[leaf], prime)))
                    uses[leaf] += 1
                }
                pivotRank[pivot] = equations.count
                equations.append((pivot, others))
            }
            for leaf in present {
                value[leaf] = 0
                isPresent[leaf] = false
            }
        }
        // Free leaves take random values; a pivot follows from leaves that are free or became pivots later.
        var vectors: [[UInt64]] = []
        for _ in 0..<2 {
            var vector = (0..<leafCount).map { pivotRank[$0] < 0 ? UInt64.random(in: 1..<prime, using: &random) : 0 }
            for equation in equations.reversed() {
                var sum: UInt64 = 0
                for other in equation.others {
                    sum += Self.product(other.coefficient, vector[other.leaf], prime)
                    if sum >= prime { sum -= prime }
                }
                vector[equation.pivot] = sum
            }
            vectors.append(vector)
        }
        self.vectors = vectors
        contradicted = order.first { !seesNothing(of: columns[$0]) }
    }

    /// True if the vectors vanish on a cell.
    func seesNothing(of column: some Sequence<UInt32>) -> Bool {
        vectors.allSatisfy { image(of: column, under: $0) == 0 }
    }

    /// Returns a value that two cells share if one of them can be computed from the other and the published ones;
    /// others share it by chance, once in 2^60. nil if a cell can be computed from the published ones alone.
    func direction(of column: some Sequence<UInt32>) -> UInt64? {
        let first = image(of: column, under: vectors[0])
        let second = image(of: column, under: vectors[1])
        if first == 0 { return second == 0 ? nil : .max }
        return Self.product(second, Self.inverse(first, prime), prime)
    }

    private func image(of column: some Sequence<UInt32>, under vector: [UInt64]) -> UInt64 {
        var sum: UInt64 = 0
        for leaf in column {
            sum += vector[Int(leaf)]
            if sum >= prime { sum -= prime }
        }
        return sum
    }

    private static func product(_ left: UInt64, _ right: UInt64, _ prime: UInt64) -> UInt64 {
        if left == 1 { return right }
        if right == 1 { return left }
        if left == prime - 1 { return right == 0 ? 0 : prime - right }
        if right == prime - 1 { return left == 0 ? 0 : prime - left }
        return prime.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
    }

    private static func inverse(_ value: UInt64, _ prime: UInt64) -> UInt64 {
        if value == 1 || value == prime - 1 { return value }
        var result: UInt64 = 1
        var base = value
        var exponent = prime - 2
        while exponent > 0 {
            if exponent & 1 == 1 { result = product(result, base, prime) }
            base = product(base, base, prime)
            exponent >>= 1
        }
        return result
    }
}

/// A heap that gives the smallest rank first.
struct RankQueue {
    private var heap: [Int] = []

    mutating func push(_ rank: Int) {
        heap.append(rank)
        var place = heap.count - 1
        while place > 0, heap[(place - 1) / 2] > heap[place] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func pop() -> Int? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if heap.isEmpty { return first }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == place { return first }
            heap.swapAt(least, place)
            place = least
        }
    }
}
