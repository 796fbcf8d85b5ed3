/// Gaussian elimination of a component's equations modulo a prime: tells whether a combination of unknowns has only
/// one value over the rationals.
///
/// The rows are kept sparse. A row's pivot is its unknown that stands in the fewest rows, which keeps fill low on
/// tables. A combination that reduces to nothing is a combination of rows; one that does not is none over the
/// rationals either, unless the prime divides a denominator: callers ask a second prime.
struct Elimination {
    private let field: PrimeField
    /// By pivot number: the reduced row, its pivot's coefficient being 1.
    private var pivots: [[(unknown: Int32, residue: UInt64)]] = []
    /// By pivot number: the combination of rows that it is. Empty where not tracked.
    private var combinations: [[Int32: UInt64]] = []
    /// By unknown: its pivot number, or −1.
    private var pivotOf: [Int32]
    private let tracks: Bool
    private var scratch: [UInt64]
    /// Whether time was left to eliminate all rows.
    private(set) var isComplete = true

    /// Eliminates.
    ///
    /// - Parameter tracks: whether ``combination(of:)`` will be asked for; costs memory in the square of the rows.
    init(
        unknowns: Int, rows: [[LinearSystem.Term]], field: PrimeField, tracks: Bool, deadline: Deadline
    ) {
        self.field = field
        self.tracks = tracks
        pivotOf = Array(repeating: -1, count: unknowns)
        scratch = Array(repeating: 0, count: unknowns)
        var uses = Array(repeating: 0, count: unknowns)
        for row in rows { for term in row { uses[Int(term.unknown)] += 1 } }
        let order = rows.indices.sorted { (rows[$0].count, $0) < (rows[$1].count, $1) }
        for (done, place) in order.enumerated() {
            if done % 64 == 63, deadline.isOver {
                isComplete = false
                return
            }
            var combination: [Int32: UInt64] = tracks ? [Int32(place): 1] : [:]
            let rest = reduce(rows[place], combination: &combination)
            guard
                let pivot = rest.min(by: { (uses[Int($0.unknown)], $0.unknown) < (uses[Int($1.unknown)], $1.unknown) })
            else { continue }
            let inverse = field.invert(pivot.residue)
            pivotOf[Int(pivot.unknown)] = Int32(pivots.count)
            pivots.append(rest.map { ($0.unknown, field.multiply($0.residue, inverse)) })
            combinations.append(combination.mapValues { field.multiply($0, inverse) })
        }
    }

    /// Whether a combination of unknowns is a combination of the rows.
    mutating func determines(_ terms: [LinearSystem.Term]) -> Bool {
        var combination: [Int32: UInt64] = [:]
        return reduce(terms, combination: &combination).isEmpty
    }

    /// Which rows, times which fractions, add up to a combination of unknowns; nil if none do or they are not simple.
    mutating func combination(of terms: [LinearSystem.Term]) -> [(row: Int, coefficient: Rational)]? {
        var combination: [Int32: UInt64] = [:]
        guard tracks, reduce(terms, combination: &combination).isEmpty else { return nil }
        var result: [(row: Int, coefficient: Rational)] = []
        for (row, residue) in combination.sorted(by: { $0.key < $1.key }) where residue != 0 {
            // reduce() subtracts: what it collected is the negative of the combination.
            guard let coefficient = field.fraction(field.negate(residue)) else { return nil }
            result.append((Int(row), coefficient))
        }
        return result
    }

    /// Subtracts pivot rows in the order in which they were made until none applies. A pivot row holds no earlier
    /// pivot, so one pass in that order is enough.
    private mutating func reduce(
        _ terms: [LinearSystem.Term], combination: inout [Int32: UInt64]
    ) -> [(unknown: Int32, residue: UInt64)] {
        var touched: [Int32] = []
        var heap = PivotHeap()
        for term in terms {
            scratch[Int(term.unknown)] = field.add(scratch[Int(term.unknown)], field.reduce(term.coefficient))
            touched.append(term.unknown)
            if pivotOf[Int(term.unknown)] >= 0 { heap.push(pivotOf[Int(term.unknown)], term.unknown) }
        }
        while let next = heap.pop() {
            let residue = scratch[Int(next.unknown)]
            guard residue != 0 else { continue }
            let factor = field.negate(residue)
            for entry in pivots[Int(next.pivot)] {
                let old = scratch[Int(entry.unknown)]
                scratch[Int(entry.unknown)] = field.add(old, field.multiply(factor, entry.residue))
                if old == 0 {
                    touched.append(entry.unknown)
                    if pivotOf[Int(entry.unknown)] >= 0 { heap.push(pivotOf[Int(entry.unknown)], entry.unknown) }
                }
            }
            if tracks {
                for (row, weight) in combinations[Int(next.pivot)] {
                    combination[row] = field.add(combination[row] ?? 0, field.multiply(factor, weight))
                }
            }
        }
        var rest: [(unknown: Int32, residue: UInt64)] = []
        for unknown in touched where scratch[Int(unknown)] != 0 {
            rest.append((unknown, scratch[Int(unknown)]))
            scratch[Int(unknown)] = 0
        }
        return rest
    }
}

/// The pivots that still apply to a row, smallest number first.
struct PivotHeap {
    private var entries: [(pivot: Int32, unknown: Int32)] = []

    mutating func push(_ pivot: Int32, _ unknown: Int32) {
        entries.append((pivot, unknown))
        var child = entries.count - 1
        while child > 0, entries[child].pivot < entries[(child - 1) / 2].pivot {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (pivot: Int32, unknown: Int32)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].pivot < entries[least].pivot { least = child }
            }
            guard least != parent else { return first }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
