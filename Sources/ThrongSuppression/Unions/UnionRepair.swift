/// Hides the finest cells by which a union under k could be computed, whatever cells it takes to compute it.
package struct UnionRepair {
    private let problem: SuppressionProblem
    private let columns: IndexLists
    private let unions: SmallUnions
    private let deadline: ContinuousClock.Instant
    /// From then on the first candidate goes, whether or not another would do.
    private let hurry: ContinuousClock.Instant

    /// Leaves up to which a table is looked at.
    package static let mostLeaves = 4_000
    /// Cells that are tried, cheapest first, for one that a union can't be computed without.
    private static let mostTries = 200

    /// - Parameters:
    ///   - witnesses: tables that agree with what is published; see ``SuppressionProblem/atoms(filledBy:)``.
    ///   - seconds: how long to look.
    package init(
        _ problem: SuppressionProblem, witnesses: [SuppressionPattern.Witness] = [], seconds: Double
    ) {
        self.problem = problem
        let atoms = problem.atoms(filledBy: witnesses)
        columns = atoms.columns
        unions = SmallUnions(problem, atoms)
        deadline = ContinuousClock().now + .seconds(seconds)
        hurry = ContinuousClock().now + .seconds(seconds / 2)
    }

    /// The columns to hide besides. Where there was no time for all, the finest ones that hold small leaves are among them:
    /// nothing of these leaves that nobody looked at.
    ///
    /// - Complexity: an elimination for each union that is found, and for each cell that is tried.
    package func hidden(given published: [Bool]) -> Set<ColumnIndex> {
        guard problem.leafCount <= Self.mostLeaves else { return [] }
        var isPublished = published
        var ledger = unions.eliminated(problem.cells.map(\.isForced))
        while ContinuousClock().now < deadline,
            let union = unions.first(given: isPublished, except: &ledger, until: deadline)
        {
            guard let victim = victim(for: union, isPublished) else { break }
            isPublished[victim] = false
        }
        if ContinuousClock().now >= deadline {
            let open = isPublished.indices.filter { isPublished[$0] && !problem.cells[$0].isForced }
            let finest = open.map { problem.cells[$0].level }.max() ?? 0
            for column in open where problem.cells[column].level == finest && unions.hasSmall(problem.columns[column]) {
                isPublished[column] = false
            }
        }
        return Set(published.indices.filter { published[$0] && !isPublished[$0] }.map { ColumnIndex(UInt32($0)) })
    }

    /// The finest and cheapest cell without which a union can't be computed; where there is none, one that it is computed
    /// by anyway.
    private func victim(for union: [UInt32], _ isPublished: [Bool]) -> Int? {
        // Cells that are tied to the union by published ones.
        let near = Set(
            published(over: union, isPublished).flatMap { columns[$0] })
        let candidates = published(over: near.sorted(), isPublished).filter { !problem.cells[$0].isForced }
            .sorted {
                (-problem.cells[$0].level, problem.columns.length(of: $0), problem.cells[$0].cost, $0)
                    < (-problem.cells[$1].level, problem.columns.length(of: $1), problem.cells[$1].cost, $1)
            }
        for column in candidates.prefix(Self.mostTries) where ContinuousClock().now < hurry {
            var without = isPublished
            without[column] = false
            var basis = unions.eliminated(without)
            if !basis.reduce(union[...]).isEmpty { return column }
        }
        return candidates.first
    }

    private func published(over leaves: [UInt32], _ isPublished: [Bool]) -> [Int] {
        let wanted = Set(leaves)
        return problem.cells.indices.filter {
            isPublished[$0] && columns[$0].contains(where: wanted.contains)
        }
    }
}
