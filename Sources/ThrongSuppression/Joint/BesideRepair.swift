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
        _ problem: SuppressionProblem, beside: BesideLeaves, unknownsOfColumn: [ColumnIndex: [[Int]]],
        leavesOfUnknown: [[UInt32]], witnesses: [SuppressionPattern.Witness], deadline: ContinuousClock.Instant
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
}
