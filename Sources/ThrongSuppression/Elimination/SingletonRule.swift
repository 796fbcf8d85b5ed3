/// What a device that is alone in a leaf can make of published cells, because it knows its own number.
///
/// Two things are kept from happening (disclosure, section 2, step 3): that a combination of published cells is about
/// singletons only, and that a sensitive cell follows from what is published and one singleton's number. Both are
/// exact as long as no singleton is a pivot: then every combination of published cells has the pivots' own
/// coefficients, so one about singletons only is none; and what follows from one singleton is a row with a single
/// term.
struct SingletonRule {
    private let isSingleton: [Bool]
    private let isNeeded: Bool

    init(_ problem: CompactProblem) {
        isSingleton = problem.isSingleton
        isNeeded = isSingleton.contains(true)
    }

    /// What to add to a leaf's price as a pivot, so that a singleton is one only where forced cells leave nothing else.
    func penalty(_ leaf: UInt32) -> Int { isSingleton[Int(leaf)] ? 1 << 40 : 0 }

    /// Whether publishing a cell would relate singletons only, or hand a sensitive cell to one.
    ///
    /// - Parameters:
    ///   - reduced: what is left of the cell; not empty.
    ///   - isSensitiveRow: by row of the basis.
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
