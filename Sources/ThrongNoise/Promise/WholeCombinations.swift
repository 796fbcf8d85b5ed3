/// All combinations of independent counts of events that give a whole number of each event, up to a squared length of 1.
///
/// They are the lattice dual to that of the events, each of which is a vector of 0 and 1: whether a root holds it. That lattice's
/// basis is made triangular by whole-number elimination, so that coefficients can be chosen from the last root to the first, each
/// from a few fractions within what is left of the length (Fincke and Pohst 1985, whose quadratic form is the identity here). All
/// is in whole numbers over a common denominator.
struct WholeCombinations {
    /// Of all coefficients: the determinant of the events' lattice.
    let denominator: Int128
    /// Columns of the triangular basis: `basis[i][r]` is 0 for r < i.
    private let basis: [[Int128]]

    /// Describes the combinations of roots that don't follow from each other.
    init(of roots: [Set<Int>]) {
        let events = Set(roots.joined())
        var columns = Array(Set(events.map { event in roots.map { $0.contains(event) ? Int128(1) : 0 } }))
        columns.sort { $0.lexicographicallyPrecedes($1) }
        var basis: [[Int128]] = []
        for row in roots.indices {
            var pivot = Array(repeating: Int128(0), count: roots.count)
            for place in columns.indices {
                // Euclid's steps on two columns, until one has nothing left in this row.
                while columns[place][row] != 0 {
                    let times = pivot[row] / columns[place][row]
                    let rest = zip(pivot, columns[place]).map { $0 - times * $1 }
                    (pivot, columns[place]) = (columns[place], rest)
                }
            }
            precondition(pivot[row] != 0, "a root that follows from others is not drawn")
            basis.append(pivot[row] < 0 ? pivot.map { -$0 } : pivot)
            columns.removeAll { $0.allSatisfy { $0 == 0 } }
        }
        self.basis = basis
        denominator = basis.enumerated().reduce(1) { $0 * $1.element[$1.offset] }
    }

    /// Visits each combination with a squared length below 1, 0 too: numerators by root.
    func visit(_ body: ([Int128]) -> Void) {
        var chosen = Array(repeating: Int128(0), count: basis.count)
        choose(basis.count - 1, &chosen, left: denominator * denominator, body)
    }

    private func choose(_ root: Int, _ chosen: inout [Int128], left: Int128, _ body: ([Int128]) -> Void) {
        guard root >= 0 else { return body(chosen) }
        // c·column is whole: c_root = (z − what later roots give) / diagonal, for any whole z.
        let diagonal = basis[root][root]
        let later = (root + 1..<basis.count).reduce(Int128(0)) { $0 + chosen[$1] * basis[root][$1] }
        // |numerator| < √left ≤ denominator.
        var whole = Self.floor(later - diagonal * denominator, over: denominator)
        while true {
            let numerator = (whole * denominator - later) / diagonal
            if numerator >= denominator { break }
            if numerator * numerator < left {
                chosen[root] = numerator
                choose(root - 1, &chosen, left: left - numerator * numerator, body)
            }
            whole += 1
        }
        chosen[root] = 0
    }

    private static func floor(_ number: Int128, over denominator: Int128) -> Int128 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: denominator)
        return rest < 0 ? quotient - 1 : quotient
    }
}
