/// Publishes cells one after the other, most useful first, and hides those that would let a sensitive cell be computed.
///
/// The result satisfies L1: no sensitive cell lies in the span of the published ones.
struct GreedyPublisher {
    /// True by merged column if it is published.
    private(set) var published: [Bool]
    /// The basis after the last publication.
    private var basis: CircuitBasis

    private let problem: CompactProblem
    private let singletons: SingletonRule
    /// True by row of the basis if it stands for a sensitive column. The other rows after the leaves stand for
    /// combinations that must not become computable either.
    private let isSensitiveRow: [Bool]

    /// Runs the pass.
    ///
    /// - Parameters:
    ///   - order: merged columns, the most useful first.
    ///   - banned: true by merged column if it has to be hidden whatever it would give away.
    ///   - forbidden: sums over leaves that must not become computable, though no cell shows them.
    init(_ problem: CompactProblem, order: [UInt32], banned: [Bool], forbidden: [[Term]]) {
        self.problem = problem
        singletons = SingletonRule(problem)
        let sensitive = (0..<problem.columnCount).filter {
            problem.isSensitive[$0] && problem.columns.length(of: $0) > 1
        }
        let watched = sensitive.map { column in problem.columns[column].map { Term(leaf: $0, coefficient: 1) } }
        basis = CircuitBasis(leafCount: problem.leafCount, watched: watched + forbidden)
        isSensitiveRow =
            problem.columnOfLeafAlone.map { column in column.map { problem.isSensitive[Int($0)] } ?? false }
            + sensitive.map { _ in true } + forbidden.map { _ in false }
        published = Array(repeating: false, count: problem.columnCount)
        for place in order {
            let column = Int(place)
            if !banned[column], !problem.isSensitive[column] { decide(column) }
        }
    }

    private mutating func decide(_ column: Int) {
        let reduced = basis.reduce(problem.columns[column])
        if reduced.isEmpty {
            published[column] = true
            return
        }
        if givesAway(reduced) { return }
        if singletons.forbids(reduced, in: &basis, isSensitiveRow: { isSensitiveRow[$0] }) { return }
        published[column] = true
        // A sensitive leaf is never published by itself later, so that its pivot never has to move.
        basis.publish(reduced) { (isSensitiveRow[Int($0)] ? 0 : 1) + singletons.penalty($0) }
    }

    /// True if publishing this would make a sensitive cell or a forbidden combination computable: one whose reduced
    /// form is a multiple of it.
    private mutating func givesAway(_ reduced: [Term]) -> Bool {
        var rarest: Term?
        var fewest = Int.max
        for term in reduced where basis.users[Int(term.leaf)].count < fewest {
            fewest = basis.users[Int(term.leaf)].count
            rarest = term
        }
        guard let rarest else { return false }
        if reduced.count == 1, isSensitiveRow[Int(rarest.leaf)] { return true }
        for row in basis.users[Int(rarest.leaf)].map({ Int($0) }) where row >= problem.leafCount || isSensitiveRow[row]
        {
            if basis.isProportional(reduced, toRow: row) { return true }
        }
        return false
    }
}
