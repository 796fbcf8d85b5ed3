extension LevelSearch {
    /// Entries of a program up to which a level is covered by one; larger levels are closed cell by cell.
    private static let mostEntries = 60_000
    /// How often lines that a cover would leave with one hidden cell are added to its program.
    private static let coverRounds = 6

    /// One demand on what is hidden of a level: a weighted sum of hidden cells is at least so much.
    private struct Demand {
        let entries: [(column: Int, weight: Double)]
        let least: Double

        init(entries: [(column: Int, weight: Double)], least: Double) {
            self.entries = entries
            self.least = least
        }

        init(_ attack: Attack) { self.init(entries: attack.columns.map { ($0, 1) }, least: 1) }
    }

    /// Hides what mends all relations of a level together at least cost: a covering program, in which a cell serves the lines
    /// of all its dimensions at once. Cell by cell, as ``close(_:known:)`` does it, takes a third more.
    ///
    /// What no program decides, and what it leaves, is for ``close(_:known:)``.
    ///
    /// - Parameter attacks: each has to be thwarted, too.
    /// - Complexity: O(relations · children), and an integer program of at most ``mostEntries`` entries.
    mutating func cover(_ level: Int, against attacks: [Attack] = []) {
        var tallies = RelationTallies(problem, values: values, targets: targets, known: published)
        guard var demands = demands(of: level, &tallies) else { return }
        demands += attacks.map { Demand($0) }
        if demands.isEmpty { return }
        let clean = problem.relations.indices.filter { place in
            published[Int(problem.relations[place].parent.value)] && tallies.isKnown(place)
        }
        var size = demands.reduce(0) { $0 + $1.entries.count }
        let now = ContinuousClock().now
        let latest = now + (deadline - now) / 8
        var hidden: [Int] = []
        for _ in 0..<Self.coverRounds {
            guard
                let found = solve(demands, SolverBudget(nodes: 400, gap: 0.005, deadline: latest), price: coverPrice)
            else { break }
            hidden = found
            let lonely = lonely(found, in: clean, level)
            size += lonely.reduce(0) { $0 + $1.entries.count }
            if lonely.isEmpty || size > Self.mostEntries { break }
            demands += lonely
        }
        for column in hidden {
            reasons[column] = reason(for: column, tallies, attacks)
            published[column] = false
        }
    }

    /// How many cells of a level any pattern hides that publishes what is published now above it: what L2 asks along the
    /// relations, that a sensitive part must be able to reach its target within a known whole, and, in cubes whose places a
    /// program can hold, that none of the attacks succeeds that were found in time. Nil where even the first took too long.
    mutating func leastHidden(_ level: Int) -> Int? {
        let above = published
        let hopeless = problem.cells.indices.count { column in
            let cell = problem.cells[column]
            return cell.level == level && cell.isOffered && !cell.isSensitive && !isCandidate[column]
        }
        var attacks: [Attack] = []
        var least: Int?
        while ContinuousClock().now < deadline {
            published = above
            for column in published.indices where isCandidate[column] && problem.cells[column].level == level {
                published[column] = true
            }
            var tallies = RelationTallies(problem, values: values, targets: targets, known: published)
            guard var demands = demands(of: level, &tallies) else { return nil }
            demands += attacks.map { Demand($0) }
            let budget = SolverBudget(nodes: 20_000, deadline: deadline)
            let hidden = demands.isEmpty ? [] : solve(demands, budget, mustBeLeast: true, price: { _ in 1 })
            guard let hidden else { return least }
            least = hopeless + hidden.count
            for column in hidden { published[column] = false }
            let found = self.attacks(level, until: deadline)
            if found.isEmpty { return least }
            attacks += found
        }
        return least
    }

    /// What has to be hidden of a level at least; nil where that is too much for a program. What nothing of the level could
    /// mend is left out.
    private func demands(of level: Int, _ tallies: inout RelationTallies) -> [Demand]? {
        var demands: [Demand] = []
        var size = 0
        for (place, relation) in problem.relations.enumerated() where published[Int(relation.parent.value)] {
            guard let flaw = tallies.flaw(of: place) else { continue }
            let parts = relation.children.map { Int($0.value) }.filter { mayHide($0, level) }
            size += parts.count
            guard size <= Self.mostEntries else { return nil }
            switch flaw {
            case .smallUnion, .alone: demands.append(Demand(entries: parts.map { ($0, 1) }, least: 1))
            case .tooLight: break
            }
            for measure in values.indices {
                let missing = tallies.missing(of: place, measure: measure)
                guard missing > 0 else { continue }
                demands.append(
                    Demand(
                        entries: parts.map { ($0, min(1, Double(values[measure][$0]) / Double(missing))) }, least: 1))
            }
        }
        return demands.filter { demand in demand.entries.reduce(0) { $0 + $1.weight } >= demand.least }
    }

    /// Ties are broken by the secret, in all periods alike.
    private func coverPrice(_ column: Int) -> Double {
        Double(problem.cells[column].cost) * (1 + Double(ties[column] >> 40) * 1e-9)
    }

    /// A cover of all demands at nearly least cost; nil where none was found in time.
    private func solve(
        _ demands: [Demand], _ budget: SolverBudget, mustBeLeast: Bool = false, price: (Int) -> Double
    ) -> [Int]? {
        var program = CoinProgram()
        var rows: [Int: [(row: Int, coefficient: Double)]] = [:]
        for (row, demand) in demands.enumerated() {
            program.addRow(lower: demand.least, upper: .infinity)
            for entry in demand.entries { rows[entry.column, default: []].append((row, entry.weight)) }
        }
        let columns = rows.keys.sorted()
        for column in columns {
            program.addColumn(lower: 0, upper: 1, cost: price(column), entries: rows[column] ?? [])
        }
        let answer = program.solveInteger(budget)
        if mustBeLeast, case .feasible = answer { return nil }
        return answer.solution.map { solution in columns.indices.filter { solution[$0] > 0.5 }.map { columns[$0] } }
    }

    /// Demands of lines in which a cover would hide one cell only: it would follow from the others.
    private func lonely(_ hidden: [Int], in clean: [Int], _ level: Int) -> [Demand] {
        let isHidden = Set(hidden)
        var times: [Int: (count: Int, column: Int)] = [:]
        for column in hidden {
            for place in relationsOfColumn[column].map({ Int($0) })
            where Int(problem.relations[place].parent.value) != column {
                times[place] = (times[place, default: (0, column)].count + 1, column)
            }
        }
        return clean.compactMap { place in
            guard let found = times[place], found.count == 1,
                !isHidden.contains(Int(problem.relations[place].parent.value))
            else { return nil }
            let others = problem.relations[place].children.map { Int($0.value) }
                .filter { $0 != found.column && mayHide($0, level) }
            if others.isEmpty { return nil }
            return Demand(entries: others.map { ($0, 1) } + [(found.column, -1)], least: 0)
        }
    }

    /// Why a cover hides a cell: the first of its relations that is flawed, or an attack that it thwarts.
    private func reason(
        for column: Int, _ tallies: RelationTallies, _ attacks: [Attack]
    ) -> SuppressionPattern.Reason {
        var tallies = tallies
        for place in relationsOfColumn[column].map({ Int($0) }) {
            let parent = problem.relations[place].parent
            guard Int(parent.value) != column, published[Int(parent.value)] else { continue }
            switch tallies.flaw(of: place) {
            case .smallUnion(let single?): return .wouldReveal(single)
            case .smallUnion(nil): return .closesUnion(parent: parent)
            case .tooLight, .alone, nil: continue
            }
        }
        let attack = attacks.first { $0.columns.contains(column) }
        return attack.map { .bounds(ColumnIndex($0.target)) } ?? .wouldBound
    }
}
