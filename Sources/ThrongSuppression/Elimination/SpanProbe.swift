/// Which cells follow from published ones: two random vectors over the leaves that vanish on everything published, modulo
/// 2^61 − 1.
///
/// Forward elimination only: no row is rewritten, so that what is sparse stays so. The search asks it; what is claimed is
/// verified by other code, modulo another prime.
struct SpanProbe {
    /// By leaf.
    private var images: [(UInt64, UInt64)]

    /// - Complexity: near linear in incidences for tables with margins; cubic in published cells at worst.
    init(_ columns: IndexLists, leafCount: Int, published: [Bool]) {
        var random = SecretGenerator(seed: 61)
        let order = (0..<columns.count).filter { published[$0] && columns.length(of: $0) > 0 }
            .sorted { (columns.length(of: $0), $0) < (columns.length(of: $1), $1) }
        var rank = Array(repeating: -1, count: leafCount)
        var pivots: [UInt32] = []
        var starts = [0]
        var terms: [Term] = []
        var sums = Array(repeating: UInt64(0), count: leafCount)
        var isTouched = Array(repeating: false, count: leafCount)
        var uses = Array(repeating: Int32(0), count: leafCount)
        for column in order {
            var touched: [UInt32] = []
            var waiting: [Int] = []
            func add(_ leaf: UInt32, _ amount: UInt64) {
                if !isTouched[Int(leaf)] {
                    isTouched[Int(leaf)] = true
                    touched.append(leaf)
                    if rank[Int(leaf)] >= 0 { Self.insert(rank[Int(leaf)], into: &waiting) }
                }
                sums[Int(leaf)] = Mersenne61.add(sums[Int(leaf)], amount)
            }
            for leaf in columns[column] { add(leaf, 1) }
            // A row holds no pivot of a row before it, so that each is met once, in order.
            while let next = waiting.popLast() {
                let factor = sums[Int(pivots[next])]
                sums[Int(pivots[next])] = 0
                if factor == 0 { continue }
                for term in terms[starts[next]..<starts[next + 1]] {
                    add(term.leaf, Mersenne61.multiply(factor, term.coefficient))
                }
            }
            let rest = touched.filter { sums[Int($0)] != 0 }
            if let pivot = rest.min(by: { (uses[Int($0)], $0) < (uses[Int($1)], $1) }) {
                let scale = Mersenne61.negate(Mersenne61.inverse(of: sums[Int(pivot)]))
                for leaf in rest where leaf != pivot {
                    terms.append(Term(leaf: leaf, coefficient: Mersenne61.multiply(scale, sums[Int(leaf)])))
                    uses[Int(leaf)] += 1
                }
                rank[Int(pivot)] = pivots.count
                pivots.append(pivot)
                starts.append(terms.count)
            }
            for leaf in touched {
                sums[Int(leaf)] = 0
                isTouched[Int(leaf)] = false
            }
        }
        images = rank.map { rank in
            rank >= 0
                ? (0, 0)
                : (
                    .random(in: 1..<Mersenne61.modulus, using: &random),
                    .random(in: 1..<Mersenne61.modulus, using: &random)
                )
        }
        for row in pivots.indices.reversed() {
            var sum: (UInt64, UInt64) = (0, 0)
            for term in terms[starts[row]..<starts[row + 1]] {
                let image = images[Int(term.leaf)]
                sum.0 = Mersenne61.add(sum.0, Mersenne61.multiply(term.coefficient, image.0))
                sum.1 = Mersenne61.add(sum.1, Mersenne61.multiply(term.coefficient, image.1))
            }
            images[Int(pivots[row])] = sum
        }
    }

    /// Keeps the first rank at the end.
    private static func insert(_ rank: Int, into waiting: inout [Int]) {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle] > rank { low = middle + 1 } else { high = middle }
        }
        waiting.insert(rank, at: low)
    }

    /// Whether a cell follows from what is published.
    func isKnown(_ leaves: some Sequence<UInt32>) -> Bool { image(leaves) == (0, 0) }

    /// The same for cells of which one follows from the other and what is published; nil where it follows from that alone.
    func direction(of leaves: some Sequence<UInt32>) -> UInt64? {
        let (first, second) = image(leaves)
        if first == 0 { return second == 0 ? nil : .max }
        return Mersenne61.multiply(second, Mersenne61.inverse(of: first))
    }

    private func image(_ leaves: some Sequence<UInt32>) -> (UInt64, UInt64) {
        leaves.reduce((0, 0)) {
            (Mersenne61.add($0.0, images[Int($1)].0), Mersenne61.add($0.1, images[Int($1)].1))
        }
    }
}
