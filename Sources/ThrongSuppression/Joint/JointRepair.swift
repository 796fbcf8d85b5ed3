/// Hides what would let tied measures prove together what neither proves alone (L3 of all measures at once).
///
/// Only the finer quantity gives way: cells that the caller names, such as those of a histogram, and never the totals
/// beside which it stands. So a cell may end up closer than L3 asks where totals alone do that: then the distance is
/// halved until totals alone leave it, and what is published besides must leave that.
package struct JointRepair {
    private let attack: JointAttack
    private let mayHide: [Bool]
    private let deadline: ContinuousClock.Instant

    /// Cells that are hidden one by one for one cell; then all that may be.
    private static let mostSteps = 12

    /// - Parameters:
    ///   - ranges: how measures are tied; true of the table.
    ///   - bounds: what is known of leaves of the first measure together; true of the table.
    ///   - mayHide: by column: it is of the finer quantity.
    ///   - seconds: how long to look; then all of the finer quantity goes.
    package init(
        _ problem: SuppressionProblem, ranges: [TiedRange] = [], bounds: [LeafBound] = [], mayHide: [Bool],
        seconds: Double
    ) {
        deadline = ContinuousClock().now + .seconds(seconds)
        attack = JointAttack(
            problem, ranges: ranges, bounds: bounds, budget: SolverBudget(iterations: 20_000, deadline: deadline))
        self.mayHide = zip(mayHide, problem.cells).map { $0 && !$1.isForced }
    }

    /// The columns to hide besides.
    ///
    /// - Parameters:
    ///   - published: by column.
    ///   - excused: sensitive columns that what was published before gives away.
    /// - Complexity: a linear program for each sensitive cell, measure and direction, and one for each cell that is hidden.
    package func hidden(given published: [Bool], except excused: Set<ColumnIndex>) -> Set<ColumnIndex> {
        var isPublished = published
        let bare = published.indices.map { published[$0] && !mayHide[$0] }
        for proof in needs(except: excused) {
            guard zip(isPublished, mayHide).contains(where: { $0 && $1 }) else { break }
            settle(proof, &isPublished, bare: bare)
        }
        return Set(published.indices.filter { published[$0] && !isPublished[$0] }.map { ColumnIndex(UInt32($0)) })
    }

    private func settle(_ proof: Proof, _ isPublished: inout [Bool], bare: [Bool]) {
        guard case .bounded(var named) = attack.run(proof, isPublished: isPublished) else { return }
        guard let within = reachable(proof, isPublished: bare) else { return }
        if within.distance < proof.distance {
            guard case .bounded(let others) = attack.run(within, isPublished: isPublished) else { return }
            named = others
        }
        for _ in 0..<Self.mostSteps {
            guard ContinuousClock().now < deadline, let victim = victim(of: within, named, isPublished) else { break }
            isPublished[victim] = false
            guard case .bounded(let others) = attack.run(within, isPublished: isPublished) else { return }
            named = others
        }
        for column in isPublished.indices where mayHide[column] { isPublished[column] = false }
    }

    /// The proof, its distance halved until cells that never give way leave it; nil where they leave nothing.
    private func reachable(_ proof: Proof, isPublished: [Bool]) -> Proof? {
        var distance = proof.distance
        while distance > 0 {
            let nearer = Proof(
                column: proof.column, measure: proof.measure, direction: proof.direction, distance: distance)
            if case .table = attack.run(nearer, isPublished: isPublished) { return nearer }
            distance /= 2
        }
        return nil
    }

    /// The finest and cheapest cell that may go: one that the contradiction names, or else one near the cell.
    private func victim(of proof: Proof, _ named: [ColumnIndex], _ isPublished: [Bool]) -> Int? {
        let problem = attack.problem
        func best(_ columns: some Sequence<Int>) -> Int? {
            columns.filter { isPublished[$0] && mayHide[$0] }.min {
                (-problem.cells[$0].level, problem.cells[$0].cost, $0)
                    < (-problem.cells[$1].level, problem.cells[$1].cost, $1)
            }
        }
        if let found = best(named.map { Int($0.value) }) { return found }
        let near = Set(problem.columns[Int(proof.column)].flatMap { attack.columnsOfLeaf[Int($0)] }).map { Int($0) }
        return best(near) ?? best(isPublished.indices)
    }

    /// What L3 asks of the tied measures, the farthest first: what is hidden for it often serves the others.
    private func needs(except excused: Set<ColumnIndex>) -> [Proof] {
        let problem = attack.problem
        var result: [Proof] = []
        for (column, cell) in problem.cells.enumerated()
        where cell.isSensitive && problem.columns.length(of: column) > 0 {
            let name = ColumnIndex(UInt32(column))
            if excused.contains(name) { continue }
            for number in [0] + attack.ranges.map(\.measure) {
                let value = problem.value(of: name, measure: number)
                let targets = problem.measures[number].targets(of: value, threshold: problem.threshold)
                if targets.upper > value {
                    result.append(
                        Proof(
                            column: name.value, measure: number, direction: .up, distance: targets.upper - value))
                }
                if let lower = targets.lower, lower < value {
                    result.append(
                        Proof(column: name.value, measure: number, direction: .down, distance: value - lower))
                }
            }
        }
        return result
    }
}
