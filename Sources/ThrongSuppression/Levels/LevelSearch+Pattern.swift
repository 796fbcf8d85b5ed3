extension LevelSearch {
    /// The result.
    func pattern() -> SuppressionPattern {
        let unproved = Set(store.missing.map { store.needs[$0].column })
        return SuppressionPattern(
            isPublished: published, witnesses: store.used(), unproved: unproved.sorted().map { ColumnIndex($0) },
            pinned: [], openRelations: [],
            reasons: problem.cells.indices.map { column in
                if published[column] { return nil }
                if problem.cells[column].isSensitive { return .sensitive }
                return problem.cells[column].isOffered ? reasons[column] ?? .wouldBound : .notOffered
            },
            extraCost: problem.cells.indices.reduce(0) { sum, column in
                let cell = problem.cells[column]
                return published[column] || cell.isSensitive || !cell.isOffered ? sum : sum.clampedSum(cell.cost)
            },
            statistics: statistics)
    }
}
