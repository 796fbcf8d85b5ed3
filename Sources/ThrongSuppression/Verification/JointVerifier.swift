/// Checks in whole numbers that tied measures have joint tables in which a sensitive cell is as far from its value as it must be;
/// shares with the search the solver and nothing else.
///
/// The solver says how far a cell can be pushed, and its point is taken for a table of fractions with a small common
/// denominator. That table is added up exactly: every published sum, every range, and the cell. Where no denominator fits, nothing
/// is said of the cell, and that is counted.
package struct JointVerifier {
    private let problem: SuppressionProblem
    private let ranges: [TiedRange]
    /// By column: it may have been hidden for it.
    private let mayHide: [Bool]

    /// What everybody has: by column, what it counts, and what other measures sum in it.
    private struct Published: Equatable {
        let counts: [Bool]
        let sums: [Bool]
    }

    /// Leaves up to which the search has all of them move, so that it and this push equally far.
    private static let mostLeaves = 400
    private static let denominators: [Int64] = Array(1...24) + [30, 36, 40, 48, 60, 84, 100, 120, 240, 360, 720, 840]

    /// What was found.
    package struct Outcome: Sendable, Hashable {
        /// Cells that are nearer to their value than they need to be, once a cell, measure and direction.
        package var faults = 0
        /// Cells of which nothing could be said, counted alike.
        package var unexamined = 0
    }

    /// - Parameters:
    ///   - ranges: how measures are tied; true of the table.
    ///   - mayHide: by column: it is of the finer quantity, which gives way.
    package init(_ problem: SuppressionProblem, ranges: [TiedRange], mayHide: [Bool]) {
        self.problem = problem
        self.ranges = ranges
        self.mayHide = mayHide
    }

    /// Checks every sensitive cell.
    ///
    /// - Parameters:
    ///   - isPublished: by column.
    ///   - hasSums: by column: all measures of it are.
    ///   - excused: sensitive columns that what was published before gives away.
    /// - Complexity: two linear programs for each cell, measure and direction.
    package func outcome(
        publishing isPublished: [Bool], withSums hasSums: [Bool], except excused: Set<ColumnIndex>,
        until deadline: ContinuousClock.Instant
    ) -> Outcome {
        var outcome = Outcome()
        let published = Published(counts: isPublished, sums: hasSums)
        let bare = Published(
            counts: isPublished.indices.map { isPublished[$0] && (!mayHide[$0] || problem.cells[$0].isForced) },
            sums: isPublished.indices.map { isPublished[$0] && problem.cells[$0].isForced })
        if published == bare { return outcome }
        for (column, cell) in problem.cells.enumerated()
        where cell.isSensitive && problem.columns.length(of: column) > 0
            && !excused.contains(ColumnIndex(UInt32(column)))
        {
            for measure in [0] + ranges.map(\.measure) {
                for push in pushes(column, measure) {
                    guard problem.leafCount <= Self.mostLeaves, ContinuousClock().now < deadline else {
                        outcome.unexamined += 1
                        continue
                    }
                    switch isFar(push, published, bare: bare, until: deadline) {
                    case true?: break
                    case false?: outcome.faults += 1
                    case nil: outcome.unexamined += 1
                    }
                }
            }
        }
        return outcome
    }

    /// A cell, which way it is to be pushed, and how far.
    private struct Push {
        let column: Int
        let measure: Int
        /// 1 up, −1 down.
        let sign: Int64
        let distance: Int64
    }

    private func pushes(_ column: Int, _ measure: Int) -> [Push] {
        let value = problem.value(of: ColumnIndex(UInt32(column)), measure: measure)
        let (upper, lower) = problem.measures[measure].targets(of: value, threshold: problem.threshold)
        var found: [Push] = []
        if upper > value { found.append(Push(column: column, measure: measure, sign: 1, distance: upper - value)) }
        if let lower, lower < value {
            found.append(Push(column: column, measure: measure, sign: -1, distance: value - lower))
        }
        return found
    }

    /// Whether a cell gets as far as it must: all of the way, or else as many halvings of it as counts alone leave. Nil where
    /// nothing can be said.
    private func isFar(
        _ push: Push, _ published: Published, bare: Published, until deadline: ContinuousClock.Instant
    ) -> Bool? {
        let all = reach(push, published, until: deadline)
        if let exact = all.exact, exact.isAtLeast(push.distance) { return true }
        guard let own = all.claimed, let most = reach(push, bare, until: deadline).claimed else { return nil }
        var wanted = push.distance
        // What the solver calls whole is whole to within its tolerance.
        while wanted > 0, Double(wanted) > most + 1e-6 { wanted /= 2 }
        if let exact = all.exact, exact.isAtLeast(wanted) { return true }
        return Double(wanted) > own + 1e-4 ? false : nil
    }

    /// A fraction: how far a checked table moves a cell.
    private struct Reach {
        let times: Int128
        let denominator: Int64
        func isAtLeast(_ distance: Int64) -> Bool { times >= Int128(distance) * Int128(denominator) }
    }

    /// How far a cell can be pushed, up to the distance that is asked for: as the solver says, and by a table that was checked.
    private func reach(
        _ push: Push, _ published: Published, until deadline: ContinuousClock.Instant
    ) -> (claimed: Double?, exact: Reach?) {
        let moving = [0] + ranges.map(\.measure)
        guard let place = moving.firstIndex(of: push.measure) else { return (nil, nil) }
        let columns = moving.map { measure in
            problem.cells.indices.filter {
                published.counts[$0] && (measure == 0 || published.sums[$0]) && problem.columns.length(of: $0) > 0
            }
        }
        let leaves = problem.leafCount
        var program = CoinProgram()
        // By measure, by leaf.
        var entries = Array(
            repeating: [[(row: Int, coefficient: Double)]](repeating: [], count: leaves), count: moving.count)
        var rows = 0
        func row(_ range: ClosedRange<Double>) -> Int {
            program.addRow(lower: range.lowerBound, upper: range.upperBound)
            rows += 1
            return rows - 1
        }
        for (number, measure) in moving.enumerated() {
            for column in columns[number] {
                let sum = Double(problem.value(of: ColumnIndex(UInt32(column)), measure: measure))
                let own = row(sum...sum)
                for leaf in problem.columns[column] { entries[number][Int(leaf)].append((own, 1)) }
            }
        }
        // A tied measure's variable is what it has above its least: from 0 to (highest − lowest) times the events.
        for (number, range) in ranges.enumerated() {
            for leaf in 0..<leaves {
                let (least, most) = (Double(range.lowest[leaf]), Double(range.highest[leaf]))
                let above = row(0...(.infinity))
                entries[0][leaf].append((above, most - least))
                entries[number + 1][leaf].append((above, -1))
                // Its published sums hold of least times the events and what is above.
                for entry in entries[number + 1][leaf] where entry.row != above {
                    entries[0][leaf].append((entry.row, least))
                }
            }
        }
        let value = problem.value(of: ColumnIndex(UInt32(push.column)), measure: push.measure)
        let goal =
            push.sign > 0
            ? row(0...Double(value + push.distance)) : row(Double(max(0, value - push.distance))...(.infinity))
        let cell = Set(problem.columns[push.column].map { Int($0) })
        for leaf in cell {
            entries[place][leaf].append((goal, 1))
            if place > 0 { entries[0][leaf].append((goal, Double(ranges[place - 1].lowest[leaf]))) }
        }
        for number in moving.indices {
            for leaf in 0..<leaves {
                var cost = 0.0
                if cell.contains(leaf) {
                    if number == place { cost = 1 }
                    if number == 0, place > 0 { cost = Double(ranges[place - 1].lowest[leaf]) }
                }
                program.addColumn(
                    lower: 0, upper: .infinity, cost: -Double(push.sign) * cost, entries: entries[number][leaf])
            }
        }
        guard case .optimal(let solution) = program.solveLinear(SolverBudget(iterations: 40_000, deadline: deadline))
        else { return (nil, nil) }
        // Back to the values of each measure.
        var tables = moving.indices.map { number in (0..<leaves).map { solution[number * leaves + $0] } }
        for (number, range) in ranges.enumerated() {
            for leaf in 0..<leaves { tables[number + 1][leaf] += Double(range.lowest[leaf]) * tables[0][leaf] }
        }
        let claimed = Double(push.sign) * (cell.reduce(0.0) { $0 + tables[place][$1] } - Double(value))
        for denominator in Self.denominators {
            if let exact = checked(tables, moving, denominator, columns, push, value) { return (claimed, exact) }
        }
        return (claimed, nil)
    }

    /// Adds a table of fractions up exactly; nil where it is none of this denominator, or contradicts something.
    private func checked(
        _ tables: [[Double]], _ moving: [Int], _ denominator: Int64, _ columns: [[Int]], _ push: Push, _ value: Int64
    ) -> Reach? {
        var whole: [[Int128]] = []
        for table in tables {
            var numbers: [Int128] = []
            for amount in table {
                let scaled = amount * Double(denominator)
                let rounded = scaled.rounded()
                guard abs(scaled - rounded) <= 1e-4, abs(rounded) < 1e17 else { return nil }
                numbers.append(Int128(Int64(rounded)))
            }
            guard numbers.allSatisfy({ $0 >= 0 }) else { return nil }
            whole.append(numbers)
        }
        for (number, measure) in moving.enumerated() {
            for column in columns[number] {
                let sum = problem.columns[column].reduce(Int128(0)) { $0 + whole[number][Int($1)] }
                let known = problem.value(of: ColumnIndex(UInt32(column)), measure: measure)
                guard sum == Int128(known) * Int128(denominator) else { return nil }
            }
        }
        for (number, range) in ranges.enumerated() {
            for leaf in whole[0].indices {
                let events = whole[0][leaf]
                guard whole[number + 1][leaf] >= events * Int128(range.lowest[leaf]),
                    whole[number + 1][leaf] <= events * Int128(range.highest[leaf])
                else { return nil }
            }
        }
        guard let place = moving.firstIndex(of: push.measure) else { return nil }
        let moved = problem.columns[push.column].reduce(Int128(0)) { $0 + whole[place][Int($1)] }
        return Reach(
            times: Int128(push.sign) * (moved - Int128(value) * Int128(denominator)), denominator: denominator)
    }
}
