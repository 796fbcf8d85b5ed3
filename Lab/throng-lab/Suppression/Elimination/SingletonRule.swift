/// The rule against contributors who are alone in a leaf, and who know their own number.
///
/// It prevents two things: that a combination of published cells is about singletons only, and that a sensitive cell
/// can be computed from the published ones and one singleton's number. Both tests are exact as long as no singleton is
/// a pivot. Then every combination of published cells has the pivots' own coefficients, so that none is about
/// singletons only, and a cell that one singleton can compute is a row with a single term.
struct SingletonRule {
    private let isSingleton: [Bool]
    private let isNeeded: Bool

    init(_ problem: CompactProblem) {
        isSingleton = problem.isSingleton
        isNeeded = isSingleton.contains(true)
    }

    /// Returns the amount to add to a leaf's price as a pivot, so that a singleton is a pivot only if nothing else is
    /// left.
    func penalty(_ leaf: UInt32) -> Int { isSingleton[Int(leaf)] ? 1 << 40 : 0 }

    /// True if publishing a cell would relate singletons only, or hand a sensitive cell to one.
    ///
    /// - Parameters:
    ///   - reduced: the rest of the cell that the published columns leave unknown; not empty.
    ///   - isSensitiveRow: true for a row of the basis that stands for a sensitive column.
    func forbids(_ reduced: [Term], in basis: inout CircuitBasis, isSensitiveRow: (Int) -> Bool) -> Bool {
        guard isNeeded else { return false }
        var rarest: Term?
        var fewest = Int.max
        var singletons = 0
        for term in reduced {
            if isSingleton[Int(term.leaf)] {
                singletons += 1
            } else if basis.users[Int(term.leaf)].count < fewest {
                fewest = basis.users[Int(term.leaf)].count
                rarest = term
            }
        }
        guard let rarest else { return true }
        if reduced.count == 2, singletons == 1, isSensitiveRow(Int(rarest.leaf)) { return true }
        for row in basis.users[Int(rarest.leaf)] where isSensitiveRow(Int(row)) {
            if basis.leavesOneTerm(reduced, ofRow: Int(row), reference: rarest, isKnown: isSingleton) { return true }
        }
        return false
    }
}
