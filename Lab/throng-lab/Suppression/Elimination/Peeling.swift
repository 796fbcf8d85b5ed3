/// A sensitive cell that can be computed from the published ones and the number of one singleton.
struct Peeling {
    /// The sensitive merged column.
    let column: UInt32
    /// The merged leaves that one contributor is alone in.
    let singleton: [UInt32]
    /// The multiple of the singleton without which the cell can be computed.
    let factor: UInt64

    /// Returns all of them in an eliminated system.
    ///
    /// Rows that are multiples of each other have the same ratio of two random projections; other rows have it with a
    /// chance of 1 in 2^61.
    ///
    /// - Complexity: O(terms of the basis).
    static func found(in basis: CircuitBasis, _ problem: CompactProblem) -> [Peeling] {
        guard problem.isSingleton.contains(true) || problem.isSingletonColumn.contains(true) else { return [] }
        // Any fixed seed does: nobody chooses tables by it, and what is missed here the verification refuses.
        var random = SecretGenerator(seed: 61)
        var images = [(UInt64, UInt64)](repeating: (0, 0), count: problem.leafCount)
        for leaf in 0..<problem.leafCount where basis.isFree[leaf] {
            images[leaf] = (
                .random(in: 1..<Mersenne61.modulus, using: &random), .random(in: 1..<Mersenne61.modulus, using: &random)
            )
        }
        for leaf in 0..<problem.leafCount where !basis.isFree[leaf] {
            for term in basis.rows[leaf] {
                let (first, second) = images[Int(term.leaf)]
                images[leaf].0 = Mersenne61.add(images[leaf].0, Mersenne61.multiply(term.coefficient, first))
                images[leaf].1 = Mersenne61.add(images[leaf].1, Mersenne61.multiply(term.coefficient, second))
            }
        }
        func image(_ leaves: some Sequence<UInt32>) -> (UInt64, UInt64) {
            leaves.reduce((0, 0)) {
                (Mersenne61.add($0.0, images[Int($1)].0), Mersenne61.add($0.1, images[Int($1)].1))
            }
        }
        func ratio(_ image: (UInt64, UInt64)) -> UInt64? {
            image.0 == 0 ? nil : Mersenne61.multiply(image.1, Mersenne61.inverse(of: image.0))
        }

        var singletons: [[UInt32]] = problem.isSingleton.indices.filter { problem.isSingleton[$0] }.map { [UInt32($0)] }
        for column in 0..<problem.columnCount where problem.isSingletonColumn[column] {
            if problem.columns.length(of: column) > 1 { singletons.append(Array(problem.columns[column])) }
        }
        var byRatio: [UInt64: [Int]] = [:]
        for (place, leaves) in singletons.enumerated() {
            guard let ratio = ratio(image(leaves)) else { continue }
            byRatio[ratio, default: []].append(place)
        }
        var result: [Peeling] = []
        for column in 0..<problem.columnCount where problem.isSensitive[column] {
            let own = image(problem.columns[column])
            guard let ratio = ratio(own), let places = byRatio[ratio] else { continue }
            for leaves in places.map({ singletons[$0] })
            where !isOwn(column, of: leaves, in: problem) {
                let factor = Mersenne61.multiply(own.0, Mersenne61.inverse(of: image(leaves).0))
                result.append(Peeling(column: UInt32(column), singleton: leaves, factor: factor))
            }
        }
        return result
    }

    /// True if nobody but the singleton's contributor stands behind a column.
    private static func isOwn(_ column: Int, of singleton: [UInt32], in problem: CompactProblem) -> Bool {
        let leaves = Set(problem.columns[column])
        return leaves.isSubset(of: singleton)
            || problem.isSingletonColumn[column] && leaves.isSuperset(of: singleton)
    }

    /// Returns the combination that must not be computable, over leaves.
    func vector(in problem: CompactProblem) -> [Term] {
        var sums: [UInt32: UInt64] = [:]
        for leaf in problem.columns[Int(column)] { sums[leaf] = 1 }
        for leaf in singleton { sums[leaf] = Mersenne61.add(sums[leaf] ?? 0, Mersenne61.negate(factor)) }
        return sums.filter { $0.value != 0 }.map { Term(leaf: $0.key, coefficient: $0.value) }
            .sorted { $0.leaf < $1.leaf }
    }
}
