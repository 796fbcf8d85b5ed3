/// Hides what would let tied measures prove together what neither proves alone (L3 of all measures at once).
///
/// The finer quantity gives way first: cells that the caller names, such as those of a histogram, and not the totals beside which
/// it stands. Totals alone may still bound a cell too closely: of numbers that do, the sums are withheld, and how much they count
/// stays.
package struct JointRepair {
    private let attack: JointAttack
    private let joint: JointWitnesses?
    private let mayHide: [Bool]
    private let deadline: ContinuousClock.Instant

    /// Cells that are hidden one by one for one cell; then all that may be.
    private static let mostSteps = 12

    /// What to withhold.
    package struct Finding: Sendable {
        /// Columns to hide.
        package fileprivate(set) var hidden: Set<ColumnIndex> = []
        /// Columns of which only the first measure is published.
        package fileprivate(set) var silent: Set<ColumnIndex> = []
    }

    /// - Parameters:
    ///   - ranges: how measures are tied; true of the table.
    ///   - bounds: what is known of leaves of the first measure together; true of the table.
    ///   - witnesses: tables of one measure each that agree with all that is published.
    ///   - mayHide: by column: it is of the finer quantity.
    ///   - seconds: how long to look; then all of the finer quantity goes, and all sums do.
    package init(
        _ problem: SuppressionProblem, ranges: [TiedRange] = [], bounds: [LeafBound] = [],
        witnesses: [SuppressionPattern.Witness] = [], mayHide: [Bool], seconds: Double
    ) {
        deadline = ContinuousClock().now + .seconds(seconds)
        attack = JointAttack(
            problem, ranges: ranges, bounds: bounds, budget: SolverBudget(iterations: 20_000, deadline: deadline))
        joint = bounds.isEmpty ? JointWitnesses(problem, ranges: ranges, among: witnesses) : nil
        self.mayHide = zip(mayHide, problem.cells).map { $0 && !$1.isForced }
    }

    /// Whether all leaves of a table move in a program: only then does it bound a cell for everybody.
    package static func holdsAll(of problem: SuppressionProblem) -> Bool { holds(leaves: problem.leafCount) }

    /// Whether so many leaves move in a program.
    package static func holds(leaves: Int) -> Bool { leaves <= JointAttack.mostLeaves }

    /// What to withhold besides.
    ///
    /// - Parameters:
    ///   - isPublished: by column.
    ///   - excused: sensitive columns that what was published before gives away.
    /// - Complexity: a linear program for each sensitive cell, measure and direction, and one for each number that is withheld.
    package func finding(given isPublished: [Bool], except excused: Set<ColumnIndex>) -> Finding {
        var published = JointAttack.Published(counts: isPublished, sums: isPublished)
        let bare = JointAttack.Published(
            counts: isPublished.indices.map { isPublished[$0] && !mayHide[$0] }, sums: isPublished)
        for proof in needs(except: excused) where !(joint?.proves(proof) ?? false) {
            guard case .bounded = attack.run(proof, published) else { continue }
            settle(proof, &published, bare: bare)
            silence(proof, &published, bare: bare)
        }
        var finding = Finding()
        for column in isPublished.indices where isPublished[column] {
            if !published.counts[column] { finding.hidden.insert(ColumnIndex(UInt32(column))) }
            if !published.sums[column] { finding.silent.insert(ColumnIndex(UInt32(column))) }
        }
        return finding
    }

    /// Hides what may be hidden until a cell gets as far as totals alone let it.
    private func settle(_ proof: Proof, _ published: inout JointAttack.Published, bare: JointAttack.Published) {
        guard let within = reachable(proof, bare) else { return }
        for _ in 0..<Self.mostSteps {
            guard case .bounded(let named, _) = attack.run(within, published) else { return }
            guard ContinuousClock().now < deadline, let victim = victim(of: within, named, published) else { break }
            published.counts[victim] = false
        }
        for column in published.counts.indices where mayHide[column] { published.counts[column] = false }
    }

    /// Withholds sums, and hides what may be hidden, until a cell gets as far as counts alone let it.
    private func silence(_ proof: Proof, _ published: inout JointAttack.Published, bare: JointAttack.Published) {
        let cells = attack.problem.cells
        let silent = JointAttack.Published(
            counts: bare.counts, sums: cells.indices.map { bare.sums[$0] && cells[$0].isForced })
        guard !attack.ranges.isEmpty, Self.holdsAll(of: attack.problem), let within = reachable(proof, silent) else {
            return
        }
        while case .bounded(let named, _) = attack.run(within, published) {
            let near = Set(attack.problem.columns[Int(within.column)].flatMap { attack.columnsOfLeaf[Int($0)] })
                .map { Int($0) }
            // Nobody knows what it was, if not the sums near by.
            let sums = named.filter { $0.measure > 0 }.map(\.column) + (named.isEmpty ? near : [])
            if let victim = finest(sums.filter { published.sums[$0] && published.counts[$0] && !cells[$0].isForced }) {
                published.sums[victim] = false
            } else if let victim = finest(
                (named.map(\.column) + near).filter { published.counts[$0] && mayHide[$0] })
            {
                published.counts[victim] = false
            } else {
                return
            }
        }
    }

    /// The proof, its distance halved until cells that never give way leave it; nil where they leave nothing.
    private func reachable(_ proof: Proof, _ bare: JointAttack.Published) -> Proof? {
        var distance = proof.distance
        while distance > 0 {
            let nearer = Proof(
                column: proof.column, measure: proof.measure, direction: proof.direction, distance: distance)
            if case .table = attack.run(nearer, bare) { return nearer }
            distance /= 2
        }
        return nil
    }

    /// The finest and cheapest cell that may go: one that the contradiction names, or else one near the cell.
    private func victim(of proof: Proof, _ named: [JointAttack.Number], _ published: JointAttack.Published) -> Int? {
        func best(_ columns: some Sequence<Int>) -> Int? {
            finest(columns.filter { published.counts[$0] && mayHide[$0] })
        }
        if let found = best(named.map(\.column)) { return found }
        let leaves = attack.problem.columns[Int(proof.column)]
        let near = Set(leaves.flatMap { attack.columnsOfLeaf[Int($0)] }).map { Int($0) }
        return best(near) ?? best(published.counts.indices)
    }

    private func finest(_ columns: [Int]) -> Int? {
        let cells = attack.problem.cells
        return columns.min { (-cells[$0].level, cells[$0].cost, $0) < (-cells[$1].level, cells[$1].cost, $1) }
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
