/// What is unknown below each whole, kept up while cells are hidden: a total over 10^6 parts is not added up anew for each.
struct RelationTallies {
    private let problem: SuppressionProblem
    /// By measure, by column.
    private let values: [[Int64]]
    private let targets: [[Int64]]
    /// By relation.
    private var tallies: [Tally]
    /// By relation, then by measure: what unknown parts hold together, and the most that one of them must be able to reach.
    private var hidden: [Int64]
    private var target: [Int64]

    private struct Tally {
        /// Parts with leaves.
        var unknown: Int32 = 0
        /// Parts without leaves are as unknown, but nobody is in them.
        var unknownEmpty: Int32 = 0
        /// The unknown part that was met first.
        var first: UInt32 = .max
        var largestFloor: Int64 = 0
        /// Whether the union of the unknown parts is known to reach k. More parts make it no smaller.
        var isLarge = false
        /// The unknown parts as long as it is not.
        var parts: [ColumnIndex] = []
    }

    /// Tallies all relations.
    ///
    /// - Complexity: O(relations · children).
    init(_ problem: SuppressionProblem, values: [[Int64]], targets: [[Int64]], known: [Bool]) {
        self.init(
            problem, values: values, targets: targets, relations: problem.relations.indices, known: known)
    }

    /// Tallies some relations; nothing else may be asked.
    ///
    /// - Complexity: O(relations + their children).
    init(
        _ problem: SuppressionProblem, values: [[Int64]], targets: [[Int64]], relations: Range<Int>, known: [Bool]
    ) {
        self.problem = problem
        self.values = values
        self.targets = targets
        first = relations.lowerBound
        tallies = Array(repeating: Tally(), count: relations.count)
        hidden = Array(repeating: 0, count: relations.count * values.count)
        target = hidden
        for place in relations {
            for child in problem.relations[place].children where !known[Int(child.value)] { add(child, to: place) }
        }
    }

    /// The first relation that is tallied.
    private let first: Int

    /// Counts a part in that is unknown from now on.
    mutating func add(_ child: ColumnIndex, to place: Int) {
        let column = Int(child.value)
        let row = place - first
        guard problem.columns.length(of: column) > 0 else {
            tallies[row].unknownEmpty += 1
            return
        }
        if tallies[row].unknown == 0 { tallies[row].first = child.value }
        tallies[row].unknown += 1
        tallies[row].largestFloor = max(tallies[row].largestFloor, problem.cells[column].floor)
        if tallies[row].largestFloor >= problem.threshold { tallies[row].isLarge = true }
        if tallies[row].isLarge { tallies[row].parts = [] } else { tallies[row].parts.append(child) }
        for measure in values.indices {
            let entry = row * values.count + measure
            hidden[entry] += values[measure][column]
            target[entry] = max(target[entry], targets[measure][column])
        }
    }

    /// Whether all parts are known.
    func isKnown(_ place: Int) -> Bool {
        tallies[place - first].unknown == 0 && tallies[place - first].unknownEmpty == 0
    }

    /// By how much unknown parts are together too little for one of them to reach what it must. Unit: the measure's.
    func missing(of place: Int, measure: Int) -> Int64 {
        let entry = (place - first) * values.count + measure
        return max(0, target[entry] - hidden[entry])
    }

    /// What is wrong with a relation whose whole is known.
    mutating func flaw(of place: Int) -> LevelSearch.Flaw? {
        let row = place - first
        let tally = tallies[row]
        guard tally.unknown > 0 else { return nil }
        let relation = problem.relations[place]
        let isWhole = Int(tally.unknown) == relation.children.count
        let isLarge = isWhole && problem.cells[Int(relation.parent.value)].floor >= problem.threshold
        if !isLarge, !tally.isLarge {
            guard problem.unionFloor(tally.parts) >= problem.threshold else {
                return .smallUnion(single: tally.unknown == 1 ? ColumnIndex(tally.first) : nil)
            }
            tallies[row].isLarge = true
            tallies[row].parts = []
        }
        for measure in values.indices {
            let entry = row * values.count + measure
            if hidden[entry] < target[entry] {
                return .tooLight(measure: measure, missing: target[entry] - hidden[entry])
            }
        }
        return !isWhole && tally.unknown == 1 && !problem.cells[Int(tally.first)].isSensitive ? .alone : nil
    }
}
