/// Finds the published numbers of unknowns beside the leaves that bound sensitive cells together with what is published of the
/// leaves: of 55 events in all, 43 devices in one part leave twelve for the other.
package struct BesideRepair {
    private let attack: JointAttack
    /// By sensitive column, what it sums: some unknowns, one or several times.
    private let unknownsOfColumn: [ColumnIndex: [[Int]]]
    private let reaches: BesideWitnesses
    private let deadline: ContinuousClock.Instant

    /// - Parameters:
    ///   - beside: what is known of both; true of the table.
    ///   - unknownsOfColumn: by sensitive column, sums of unknowns that have to reach the threshold, too.
    ///   - leavesOfUnknown: by unknown, the leaves that it moves with, if anything does.
    ///   - witnesses: tables of leaves that agree with all that is published.
    ///   - deadline: until when to look; then all of these numbers go.
    package init(
        _ problem: SuppressionProblem, beside: BesideLeaves, unknownsOfColumn: [ColumnIndex: [[Int]]] = [:],
        leavesOfUnknown: [[UInt32]] = [], witnesses: [SuppressionPattern.Witness] = [],
        deadline: ContinuousClock.Instant
    ) {
        reaches = BesideWitnesses(
            problem, beside: beside, unknownsOfColumn: unknownsOfColumn, leavesOfUnknown: leavesOfUnknown,
            among: witnesses)
        self.deadline = deadline
        attack = JointAttack(
            problem, ranges: [], beside: beside, budget: SolverBudget(iterations: 20_000, deadline: deadline))
        self.unknownsOfColumn = unknownsOfColumn
    }

    /// The numbers to withhold, the finest first.
    ///
    /// - Precondition: a program holds all leaves, see ``JointRepair/holdsAll(of:)``.
    /// - Parameters:
    ///   - isPublished: by column.
    ///   - excused: sensitive columns that what was published before gives away.
    /// - Complexity: one or two linear programs for each sensitive cell, and one for each number that is withheld.
    package func tellers(given isPublished: [Bool], except excused: Set<ColumnIndex>) -> Set<ColumnIndex> {
        let rows = attack.beside.rows
        guard rows.contains(where: { $0.teller != nil }) else { return [] }
        let problem = attack.problem
        let published = JointAttack.Published(counts: isPublished, sums: isPublished)
        var silent: Set<ColumnIndex> = []
        func settle(_ proof: Proof, reaching unknowns: [Int]?) {
            while case .bounded(_, let named) = attack.run(
                proof, published, reaching: unknowns, where: { rows[$0].teller.map { !silent.contains($0) } ?? true })
            {
                let victim = named.compactMap { rows[$0].teller }.min {
                    let (one, other) = (problem.cells[Int($0.value)], problem.cells[Int($1.value)])
                    return (-one.level, one.cost, $0) < (-other.level, other.cost, $1)
                }
                guard let victim else { return }
                silent.insert(victim)
            }
        }
        for (place, cell) in problem.cells.enumerated() where cell.isSensitive && problem.columns.length(of: place) > 0
        {
            let column = ColumnIndex(UInt32(place))
            if ContinuousClock().now >= deadline { return Set(rows.compactMap(\.teller)) }
            if excused.contains(column) { continue }
            let value = problem.value(of: column, measure: 0)
            let target = problem.measures[0].targets(of: value, threshold: problem.threshold).upper
            if target > value, reaches.leaves[column] ?? 0 < target - value {
                settle(
                    Proof(column: column.value, measure: 0, direction: .up, distance: target - value), reaching: nil)
            }
            for unknowns in unknownsOfColumn[column] ?? []
            where reaches.unknowns[unknowns] ?? 0 < Double(problem.threshold) {
                settle(
                    Proof(column: column.value, measure: 0, direction: .up, distance: problem.threshold),
                    reaching: unknowns)
            }
        }
        return silent
    }

    /// What to withhold where published numbers of leaves may go as well, after those of unknowns: the finest first. What stays
    /// may bound a cell by itself; then it is hidden as far as that leaves it.
    ///
    /// - Parameters:
    ///   - isPublished: by column.
    ///   - known: columns whose numbers of unknowns are withheld already.
    ///   - mayHide: by column: it is published, and may not be.
    /// - Returns: columns to hide, and all columns whose numbers of unknowns are to be withheld.
    /// - Complexity: two linear programs for each sensitive cell, and one for each number that is withheld.
    package func finding(
        given isPublished: [Bool], silent known: Set<ColumnIndex>, mayHide: [Bool]
    ) -> (hidden: Set<ColumnIndex>, silent: Set<ColumnIndex>) {
        let (problem, rows) = (attack.problem, attack.beside.rows)
        let tellers = Set(rows.compactMap(\.teller))
        var (silent, hidden) = (known, Set<ColumnIndex>())
        func outcome(_ proof: Proof, _ silent: Set<ColumnIndex>, _ hidden: Set<ColumnIndex>) -> JointAttack.Outcome {
            let shown = isPublished.indices.map { isPublished[$0] && !hidden.contains(ColumnIndex(UInt32($0))) }
            return attack.run(
                proof, JointAttack.Published(counts: shown, sums: shown),
                where: { rows[$0].teller.map { !silent.contains($0) } ?? true })
        }
        func finest(_ columns: some Sequence<ColumnIndex>) -> ColumnIndex? {
            columns.min {
                let (one, other) = (problem.cells[Int($0.value)], problem.cells[Int($1.value)])
                return (-one.level, one.cost, $0) < (-other.level, other.cost, $1)
            }
        }
        let hideable = Set(mayHide.indices.filter { mayHide[$0] && isPublished[$0] }.map { ColumnIndex(UInt32($0)) })
        for proof in needs {
            if ContinuousClock().now >= deadline { return (hideable, known.union(tellers)) }
            guard case .bounded = outcome(proof, silent, hidden),
                let within = reachable(proof, where: { outcome($0, silent.union(tellers), hideable) })
            else { continue }
            while case .bounded(let named, let besides) = outcome(within, silent, hidden) {
                if let sum = finest(besides.compactMap { rows[$0].teller }.filter { !silent.contains($0) }) {
                    silent.insert(sum)
                } else if let cell = finest(
                    named.map { ColumnIndex(UInt32($0.column)) }.filter {
                        hideable.contains($0) && !hidden.contains($0)
                    })
                {
                    hidden.insert(cell)
                } else if silent.isSuperset(of: tellers), hidden == hideable {
                    break
                } else {
                    // Nobody knows what it was.
                    (silent, hidden) = (silent.union(tellers), hideable)
                }
            }
        }
        return (hidden, silent)
    }

    /// What L3 asks of the leaves.
    private var needs: [Proof] {
        let problem = attack.problem
        var needs: [Proof] = []
        for (place, cell) in problem.cells.enumerated() where cell.isSensitive && problem.columns.length(of: place) > 0
        {
            let column = ColumnIndex(UInt32(place))
            let value = problem.value(of: column, measure: 0)
            let targets = problem.measures[0].targets(of: value, threshold: problem.threshold)
            if targets.upper > value {
                needs.append(
                    Proof(column: column.value, measure: 0, direction: .up, distance: targets.upper - value))
            }
            if let lower = targets.lower, lower < value {
                needs.append(Proof(column: column.value, measure: 0, direction: .down, distance: value - lower))
            }
        }
        return needs
    }

    /// The proof, its distance halved until there is a table; nil where there is none.
    private func reachable(_ proof: Proof, where outcome: (Proof) -> JointAttack.Outcome) -> Proof? {
        var distance = proof.distance
        while distance > 0 {
            let nearer = Proof(
                column: proof.column, measure: proof.measure, direction: proof.direction, distance: distance)
            if case .table = outcome(nearer) { return nearer }
            distance /= 2
        }
        return nil
    }
}
