/// What follows from one equation at a time: an equation with a single unknown gives its value, parts of nothing are
/// nothing.
///
/// This is how most of naive suppression falls, and it leaves little for the elimination.
/// - Complexity: O(terms) in all: each equation keeps its count of open unknowns and what is left of its value.
struct Presolve {
    /// By unknown; nil is open.
    private(set) var value: [Int64?]
    /// By unknown: the row that gave its value.
    private(set) var reason: [Int32]
    /// By unknown: in which order values were found.
    private(set) var order: [Int32]
    /// Rows that no values fit.
    private(set) var contradictions: [Int] = []
    /// By row: open unknowns.
    private(set) var open: [Int32]
    /// By row: the part of its combination that is solved.
    private(set) var solved: [Int64]
    private var found: Int32 = 0
    private var broken: Set<Int> = []

    init(_ system: LinearSystem) {
        value = Array(repeating: nil, count: system.unknowns)
        reason = Array(repeating: -1, count: system.unknowns)
        order = Array(repeating: -1, count: system.unknowns)
        open = system.rows.map { Int32($0.terms.count) }
        solved = Array(repeating: 0, count: system.rows.count)
        let uses = UnknownUses(system)
        var queue = Array(system.rows.indices)
        while let row = queue.popLast() {
            for unknown in conclude(row, of: system) {
                for use in uses[unknown] {
                    open[use.row] -= 1
                    let known = value[Int(unknown)] ?? 0
                    let (product, overflow) = use.coefficient.multipliedReportingOverflow(by: known)
                    let (sum, tooLarge) = solved[use.row].addingReportingOverflow(product)
                    if overflow || tooLarge { broken.insert(use.row) }
                    solved[use.row] = sum
                    queue.append(use.row)
                }
            }
        }
    }

    /// The bounds of what is open in a row; nil where the row was dropped.
    func rest(of place: Int, in system: LinearSystem) -> (lower: Int64?, upper: Int64?)? {
        guard !broken.contains(place) else { return nil }
        let row = system.rows[place]
        func left(_ bound: Int64?) -> Int64?? {
            guard let bound else { return .some(nil) }
            let (rest, overflow) = bound.subtractingReportingOverflow(solved[place])
            return overflow ? nil : .some(rest)
        }
        guard let lower = left(row.lower), let upper = left(row.upper) else { return nil }
        return (lower, upper)
    }

    private mutating func conclude(_ place: Int, of system: LinearSystem) -> [Int32] {
        guard !broken.contains(place), let rest = rest(of: place, in: system) else { return [] }
        let row = system.rows[place]
        if open[place] == 0 {
            if (rest.lower ?? 0) > 0 || (rest.upper ?? 0) < 0 { contradict(place) }
            return []
        }
        if open[place] == 1, rest.lower == rest.upper, let left = rest.lower,
            let term = row.terms.first(where: { value[Int($0.unknown)] == nil })
        {
            guard left % term.coefficient == 0,
                left / term.coefficient >= 0 || system.signed.contains(term.unknown)
            else {
                contradict(place)
                return []
            }
            set(term.unknown, to: left / term.coefficient, because: place)
            return [term.unknown]
        }
        guard let upper = rest.upper, upper <= 0 else { return [] }
        let opened = row.terms.filter { value[Int($0.unknown)] == nil }
        guard opened.allSatisfy({ $0.coefficient > 0 && !system.signed.contains($0.unknown) }) else { return [] }
        guard upper == 0 else {
            contradict(place)
            return []
        }
        for term in opened { set(term.unknown, to: 0, because: place) }
        return opened.map(\.unknown)
    }

    private mutating func set(_ unknown: Int32, to known: Int64, because place: Int) {
        value[Int(unknown)] = known
        reason[Int(unknown)] = Int32(place)
        order[Int(unknown)] = found
        found += 1
    }

    private mutating func contradict(_ place: Int) {
        if broken.insert(place).inserted { contradictions.append(place) }
    }
}
