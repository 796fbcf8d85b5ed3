internal import ThrongPlan
internal import ThrongSuppression

/// What the engine will work on, while tables are laid side by side and tied: leaves, columns over them, and what is known
/// of each.
struct TiedBoard {
    /// By leaf.
    private(set) var values: [Int64] = []
    /// By leaf: the same of all identifiers, where values are of proved ones.
    private(set) var everybody: [Int64] = []
    /// Leaves that nobody is in, and that readers may work out to be empty.
    private(set) var empty: Set<UInt32> = []
    private(set) var columns = IndexLists()
    private(set) var cells: [CandidateCell] = []
    private(set) var relations: [AdditiveRelation] = []
    /// By table, its first leaf.
    private(set) var firstLeaf: [Int] = []
    /// By table, its first column.
    private(set) var firstColumn: [Int] = []
    /// By equation, its leaves but for the slack.
    private(set) var equations: [[UInt32]] = []
    /// By column that is a difference, what one identifier may have added to it at most over all windows.
    private(set) var mostOfOne: [UInt32: Int64] = [:]
    /// How far a difference has to stay unknown.
    let rule: DifferenceRule
    /// Whether everybody is taken to know by how much counters of the same events differ: then small cells are safe from
    /// whoever guesses that. That the differences themselves are safe is shown where nobody knows them.
    let knowsDifferences: Bool
    /// Whether a difference has to stay unknown.
    private(set) var hasSecrets = false
    /// What a slack holds: more than anything could move, and little enough to add up.
    private var room: Int64 = 1 << 36

    /// Lays tables side by side.
    ///
    /// - Parameter measures: by table, which measure of its frame.
    init(_ tables: [TiedTable], measures: [Int], rule: DifferenceRule, knowsDifferences: Bool = true) {
        self.rule = rule
        self.knowsDifferences = knowsDifferences
        for (table, measure) in zip(tables, measures) {
            let problem = table.laid.problem
            firstLeaf.append(values.count)
            firstColumn.append(cells.count)
            let (leaf, base) = (UInt32(values.count), UInt32(cells.count))
            values += table.laid.frame.measures[measure]
            everybody += table.laid.frame.everybodys[measure]
            empty.formUnion(table.laid.listed.map { $0 + leaf })
            for column in 0..<problem.columns.count { columns.append(problem.columns[column].map { $0 + leaf }) }
            cells += problem.cells.map {
                CandidateCell(
                    floor: $0.floor, cost: $0.cost, isSensitive: $0.isSensitive, isForced: $0.isForced,
                    isOffered: false)
            }
            relations += problem.relations.map { relation in
                AdditiveRelation(
                    parent: ColumnIndex(relation.parent.value + base),
                    children: relation.children.map { ColumnIndex($0.value + base) })
            }
        }
        let total = values.reduce(Int64(0)) { $0.addedClamped($1) }
        room = min(total.addedClamped(rule.threshold.devices).multipliedClamped(by: 4), room)
    }

    /// What some leaves add up to.
    func sum(_ leaves: some Sequence<UInt32>) -> Int64 {
        leaves.reduce(Int64(0)) { $0.addedClamped(values[Int($1)]) }
    }

    /// What all identifiers added to some leaves.
    func everybody(_ leaves: some Sequence<UInt32>) -> Int64 {
        leaves.reduce(Int64(0)) { $0.addedClamped(everybody[Int($1)]) }
    }

    /// Whether what somebody could compute has to stay unknown: it can't be shown to stand for k devices, or nobody is proved in
    /// it, and yet somebody is there.
    func isOpen(_ leaves: some Sequence<UInt32>, identifiers: [Int64], bound: Int64) -> Bool {
        let value = sum(leaves)
        return value > 0 ? rule.isOpen(value, identifiers: identifiers, bound: bound) : everybody(leaves) > 0
    }

    /// Adds a leaf of nobody's table.
    mutating func leaf(_ value: Int64, everybody all: Int64) -> UInt32 {
        values.append(value)
        everybody.append(all)
        return UInt32(values.count - 1)
    }

    /// Lets everybody know that two sums are equal, or by how much they are not.
    mutating func tie(_ parts: [UInt32], _ whole: [UInt32]) {
        let slack = leaf(room, everybody: room)
        for side in [parts, whole] {
            columns.append(side.sorted() + [slack])
            cells.append(CandidateCell(floor: .max, cost: 1, isSensitive: false, isForced: true, isOffered: false))
        }
        equations.append(parts + whole)
    }

    /// Adds what somebody could compute: a difference of what metrics publish.
    ///
    /// - Parameters:
    ///   - identifiers: by window, so many of them at least stand behind it.
    ///   - bound: what one of them may add in a window. Unit: the measure's.
    /// - Returns: the column; it has to stay unknown where ``rule`` leaves it open.
    @discardableResult
    mutating func difference(of leaves: [UInt32], identifiers: [Int64], bound: Int64) -> ColumnIndex {
        let value = sum(leaves)
        let column = secret(
            leaves, floor: min(value, max(identifiers.max() ?? 0, value > 0 ? 1 : 0)),
            isSensitive: isOpen(leaves, identifiers: identifiers, bound: bound))
        mostOfOne[column.value] = bound.multipliedClamped(by: Int64(max(1, identifiers.count)))
        return column
    }

    /// Adds a cell that nobody asks for.
    mutating func secret(_ leaves: [UInt32], floor: Int64, isSensitive: Bool) -> ColumnIndex {
        columns.append(leaves.sorted())
        cells.append(CandidateCell(floor: floor, cost: 1, isSensitive: isSensitive, isOffered: false))
        hasSecrets = hasSecrets || isSensitive
        return ColumnIndex(UInt32(cells.count - 1))
    }

    /// What is unknown of a known difference must stand for k devices, too.
    mutating func relate(_ parent: ColumnIndex, _ children: [ColumnIndex]) {
        guard children.count > 1 else { return }
        relations.append(AdditiveRelation(parent: parent, children: children))
    }
}

/// When a difference of what two metrics count may be known.
///
/// Nobody tracks whose events it is made of. What is known is how many identifiers the one metric counted and the other
/// did not, and how much one of them may add in a window.
struct DifferenceRule {
    /// How many devices a number stands for.
    let threshold: Threshold
    /// The p of the p % rule.
    let protection: Protection
    /// What one event may add to the measure at most; nil where it is the number of events.
    let span: Int64?

    /// Whether it can't be shown to stand for k devices, none of which makes up too much of it.
    func isOpen(_ value: Int64, identifiers: [Int64], bound: Int64) -> Bool {
        guard value > 0 else { return false }
        if let span {
            guard !identifiers.isEmpty else { return true }
            let one = span.multipliedClamped(by: bound).multipliedClamped(by: Int64(identifiers.count))
            return 100 * (Int128(value) - 2 * Int128(one)) < Int128(protection.percent) * Int128(one)
        }
        let rule = CountRule(events: value, identifiers: identifiers, bound: bound)
        return !rule.isReached(threshold, by: value) || !rule.passes(protection)
    }
}
