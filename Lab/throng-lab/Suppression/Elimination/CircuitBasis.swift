/// The published columns, eliminated exactly: for every leaf and every watched cell, the rest of it that the published
/// columns leave unknown.
///
/// This is Gauss–Jordan elimination over leaves. A leaf is free, or it is a pivot and equals, up to published sums, a
/// combination of free leaves: its row. Watched vectors (sensitive cells, forbidden combinations) have rows too, so
/// that they are always reduced. A row without terms can be computed from what is published.
///
/// The columns of the same matrix hold the fundamental circuits, one for each free leaf f: the table change that moves
/// f by one, moves every pivot leaf p by row(p)[f], and leaves every published cell alone.
///
/// Shape: one row for each leaf, then one for each watched vector. Coefficients are modulo 2^61 − 1.
struct CircuitBasis {
    let leafCount: Int
    /// The rows by leaf, then by watched vector. Empty for free leaves.
    private(set) var rows: [[Term]]
    /// The rows that use each free leaf, unordered.
    private(set) var users: [[UInt32]]
    /// True by leaf if it is free.
    private(set) var isFree: [Bool]
    private var scratch: [UInt64]
    private var touched: [UInt32] = []
    /// The place of each leaf in the vector that is being added to rows, plus 1.
    private var standing: [UInt32]

    /// Starts with nothing published.
    ///
    /// - Parameter watched: vectors to keep reduced.
    init(leafCount: Int, watched: [[Term]]) {
        self.leafCount = leafCount
        rows = Array(repeating: [], count: leafCount) + watched
        users = Array(repeating: [], count: leafCount)
        for (place, vector) in watched.enumerated() {
            for term in vector { users[Int(term.leaf)].append(UInt32(leafCount + place)) }
        }
        isFree = Array(repeating: true, count: leafCount)
        scratch = Array(repeating: 0, count: leafCount)
        standing = Array(repeating: 0, count: leafCount)
    }

    /// Returns the rest of a cell that the published columns leave unknown; empty if it can be computed.
    ///
    /// - Complexity: O(leaves + terms of the rows of its pivot leaves).
    mutating func reduce(_ column: ArraySlice<UInt32>) -> [Term] {
        for leaf in column { accumulate(leaf, 1) }
        return collect()
    }

    /// Returns the rest of any vector that the published columns leave unknown.
    mutating func reduce(_ vector: [Term]) -> [Term] {
        for term in vector { accumulate(term.leaf, term.coefficient) }
        return collect()
    }

    private mutating func accumulate(_ leaf: UInt32, _ factor: UInt64) {
        if isFree[Int(leaf)] {
            add(leaf, factor)
        } else {
            for term in rows[Int(leaf)] { add(term.leaf, Mersenne61.multiply(factor, term.coefficient)) }
        }
    }

    @inline(__always)
    private mutating func add(_ leaf: UInt32, _ value: UInt64) {
        let old = scratch[Int(leaf)]
        if standing[Int(leaf)] == 0 {
            standing[Int(leaf)] = 1
            touched.append(leaf)
        }
        scratch[Int(leaf)] = Mersenne61.add(old, value)
    }

    private mutating func collect() -> [Term] {
        var result: [Term] = []
        result.reserveCapacity(touched.count)
        for leaf in touched {
            let value = scratch[Int(leaf)]
            standing[Int(leaf)] = 0
            if value != 0 { result.append(Term(leaf: leaf, coefficient: value)) }
            scratch[Int(leaf)] = 0
        }
        touched.removeAll(keepingCapacity: true)
        return result
    }

    /// Publishes a cell: its reduced form becomes a pivot and every row that used the pivot leaf is rewritten.
    ///
    /// - Parameters:
    ///   - reduced: the result of ``reduce(_:)-(ArraySlice<UInt32>)``; not empty, and nothing published since.
    ///   - penalty: the extra price of a leaf as the pivot, in rows that use it.
    /// - Complexity: O(rows that use the pivot leaf × terms). The pivot is the leaf that fewest rows use (Markowitz's
    ///   rule), which decides the speed.
    mutating func publish(_ reduced: [Term], penalty: (UInt32) -> Int) {
        guard var pivot = reduced.first else { return }
        var fewest = Int.max
        for term in reduced {
            let score = users[Int(term.leaf)].count * 2 + penalty(term.leaf)
            if score < fewest || (score == fewest && term.leaf < pivot.leaf) {
                fewest = score
                pivot = term
            }
        }
        let scale = Mersenne61.negate(Mersenne61.inverse(of: pivot.coefficient))
        // e_pivot ≡ −Σ others / coefficient
        var replacement: [Term] = []
        replacement.reserveCapacity(reduced.count - 1)
        for term in reduced where term.leaf != pivot.leaf {
            replacement.append(Term(leaf: term.leaf, coefficient: Mersenne61.multiply(scale, term.coefficient)))
        }
        let affected = users[Int(pivot.leaf)]
        users[Int(pivot.leaf)] = []
        isFree[Int(pivot.leaf)] = false
        for (index, term) in replacement.enumerated() { standing[Int(term.leaf)] = UInt32(index + 1) }
        var met = Array(repeating: UInt32.max, count: replacement.count)
        for row in affected { substitute(pivot.leaf, by: replacement, in: row, met: &met) }
        for term in replacement { standing[Int(term.leaf)] = 0 }
        for term in replacement { users[Int(term.leaf)].append(pivot.leaf) }
        rows[Int(pivot.leaf)] = replacement
    }

    /// Rewrites one row. The places of the replacement's leaves are in ``standing`` already: rows are long and
    /// replacements are short, so that the whole elimination costs one look at each of the row's leaves.
    ///
    /// - Parameter met: the last row that held the leaf of each of the replacement's terms.
    private mutating func substitute(_ leaf: UInt32, by replacement: [Term], in row: UInt32, met: inout [UInt32]) {
        var terms = rows[Int(row)]
        rows[Int(row)] = []
        guard let place = terms.firstIndex(where: { $0.leaf == leaf }) else {
            rows[Int(row)] = terms
            return
        }
        let factor = terms[place].coefficient
        terms.swapAt(place, terms.count - 1)
        terms.removeLast()
        if replacement.isEmpty {
            rows[Int(row)] = terms
            return
        }
        var vanished = false
        for index in terms.indices {
            let found = Int(standing[Int(terms[index].leaf)])
            if found == 0 { continue }
            met[found - 1] = row
            let sum = Mersenne61.add(
                terms[index].coefficient, Mersenne61.multiply(factor, replacement[found - 1].coefficient))
            terms[index].coefficient = sum
            if sum == 0 {
                vanished = true
                forget(row, at: terms[index].leaf)
            }
        }
        if vanished { terms.removeAll { $0.coefficient == 0 } }
        for (index, term) in replacement.enumerated() where met[index] != row {
            terms.append(
                Term(leaf: term.leaf, coefficient: Mersenne61.multiply(factor, term.coefficient)))
            users[Int(term.leaf)].append(row)
        }
        rows[Int(row)] = terms
    }

    private mutating func forget(_ row: UInt32, at leaf: UInt32) {
        if let place = users[Int(leaf)].firstIndex(of: row) {
            let last = users[Int(leaf)].count - 1
            users[Int(leaf)].swapAt(place, last)
            users[Int(leaf)].removeLast()
        }
    }

    /// Returns the combinations of published cells that are about certain leaves only, if none of these was a pivot
    /// where another leaf could be one.
    func sums(of isChosen: [Bool]) -> [[Term]] {
        isChosen.indices.filter { isChosen[$0] && !isFree[$0] }.map { leaf in
            let others = rows[leaf].map {
                Term(leaf: $0.leaf, coefficient: Mersenne61.negate($0.coefficient))
            }
            return ([Term(leaf: UInt32(leaf), coefficient: 1)] + others).sorted { $0.leaf < $1.leaf }
        }
    }

    /// True if publishing a vector would leave only one term of a row, at a leaf that somebody knows.
    ///
    /// - Parameters:
    ///   - reference: a leaf of the vector that nobody knows and the row uses.
    ///   - isKnown: true by leaf if somebody knows it.
    mutating func leavesOneTerm(_ reduced: [Term], ofRow row: Int, reference: Term, isKnown: [Bool]) -> Bool {
        let other = rows[row]
        guard abs(other.count - reduced.count) <= 1, let own = other.first(where: { $0.leaf == reference.leaf })
        else { return false }
        for term in reduced { scratch[Int(term.leaf)] = term.coefficient }
        defer { for term in reduced { scratch[Int(term.leaf)] = 0 } }
        var differing = 0
        for term in other {
            let value = scratch[Int(term.leaf)]
            scratch[Int(term.leaf)] = 0
            let isEqual =
                Mersenne61.multiply(own.coefficient, value)
                == Mersenne61.multiply(reference.coefficient, term.coefficient)
            if isEqual { continue }
            differing += 1
            if differing > 1 || !isKnown[Int(term.leaf)] { return false }
        }
        for term in reduced where scratch[Int(term.leaf)] != 0 {
            differing += 1
            if differing > 1 || !isKnown[Int(term.leaf)] { return false }
        }
        return differing == 1
    }

    /// True if one vector is a multiple of the other.
    ///
    /// - Parameter row: the row to compare with.
    mutating func isProportional(_ reduced: [Term], toRow row: Int) -> Bool {
        let other = rows[row]
        guard other.count == reduced.count, let first = other.first else { return false }
        for term in reduced { scratch[Int(term.leaf)] = term.coefficient }
        defer { for term in reduced { scratch[Int(term.leaf)] = 0 } }
        let own = scratch[Int(first.leaf)]
        guard own != 0 else { return false }
        // own[l] · first = own · other[l] for every l
        return other.allSatisfy {
            let value = scratch[Int($0.leaf)]
            return value != 0
                && Mersenne61.multiply(value, first.coefficient) == Mersenne61.multiply(own, $0.coefficient)
        }
    }
}

/// One non-zero coefficient of a sparse vector over leaves.
struct Term: Hashable, Sendable {
    var leaf: UInt32
    /// The coefficient modulo 2^61 − 1; never 0 in a stored term.
    var coefficient: UInt64
}
