extension FuzzRun {
    /// A table of one or two measures: every second one has sums besides, and some cells that they make sensitive though they are
    /// large.
    static func problemWithSums(seed: UInt64) throws -> SuppressionProblem {
        var random = SecretGenerator(seed: seed &* 0x9E37_79B9 ^ 26)
        let problem = try Self.problem(seed: seed)
        guard Bool.random(using: &random) else { return problem }
        let most = Int64.random(in: 1...40, using: &random)
        let sums = problem.measures[0].values.map { count in
            Int64.random(in: 0...2, using: &random) == 0
                ? count : Int64.random(in: 0...(count * most), using: &random)
        }
        let percent = Int64.random(in: 1...30, using: &random)
        let share = Double.random(in: 0...0.08, using: &random)
        return try SuppressionProblem(
            measures: problem.measures + [AdditiveMeasure(values: sums, protection: .surrounds(percent: percent))],
            columns: problem.columns,
            cells: problem.cells.map { cell in
                CandidateCell(
                    cost: cell.cost, isSensitive: cell.isSensitive || Double.random(in: 0..<1, using: &random) < share)
            },
            relations: problem.relations, threshold: problem.threshold)
    }
}
