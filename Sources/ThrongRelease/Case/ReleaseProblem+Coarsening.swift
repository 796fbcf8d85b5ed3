internal import ThrongSuppression

extension ReleaseProblem {
    /// The published cells around everything that a pattern leaves open: sensitive cells without a proof, and wholes
    /// whose unknown rest would be under k.
    ///
    /// Once no published cell holds a leaf of a sensitive one, that leaf may be anything, and nothing is left to prove.
    func surroundings(ofOpenIn pattern: SuppressionPattern) -> Set<ColumnIndex> {
        let leaves = openLeaves(in: pattern)
        guard !leaves.isEmpty else { return [] }
        let near = problem.cells.indices.filter { column in
            pattern.isPublished[column] && !problem.cells[column].isForced
                && problem.columns[column].contains(where: leaves.contains)
        }
        return Set(near.map { ColumnIndex(UInt32($0)) })
    }

    /// How many things stay open whatever is hidden now, because what was published before touches them.
    func open(in pattern: SuppressionPattern) -> Int {
        let leaves = openLeaves(in: pattern)
        guard !leaves.isEmpty else { return 0 }
        let isTouched = problem.cells.indices.contains { column in
            pattern.isPublished[column] && problem.columns[column].contains(where: leaves.contains)
        }
        return isTouched ? pattern.unproved.count + pattern.openRelations.count : 0
    }

    private func openLeaves(in pattern: SuppressionPattern) -> Set<UInt32> {
        let wholes = pattern.openRelations.map { problem.relations[$0].parent }
        return Set((pattern.unproved + wholes).flatMap { problem.columns[Int($0.value)] })
    }
}
