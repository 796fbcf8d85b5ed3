extension PatternSearch {
    /// Returns the result in the terms of the original problem.
    func pattern() -> SuppressionPattern {
        let isPublished = problem.mergedColumn.map { merged in merged.map { published[Int($0)] } ?? false }
        let proofsOfChange = Dictionary(grouping: store.proved.keys, by: { store.proved[$0] ?? -1 })
        let witnesses = store.changes.enumerated().map { place, entry in
            SuppressionPattern.Witness(
                measure: entry.measure, changes: spread(entry.change, measure: entry.measure),
                proves: originals(of: Set((proofsOfChange[place] ?? []).map { Int($0.column) })))
        }
        return SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses,
            unproved: originals(of: Set(missing.map { Int($0.column) })), extraCost: extraCost, statistics: statistics)
    }

    /// Returns the sensitive ones of the cells that share a column; only these need a proof.
    private func originals(of columns: Set<Int>) -> [ColumnIndex] {
        columns.flatMap { problem.members[$0] }.filter { original.cells[Int($0)].isSensitive }.sorted()
            .map { ColumnIndex($0) }
    }

    /// Returns a change of merged leaves as a change of original ones, none of which falls below zero.
    private func spread(_ change: TableChange, measure: Int) -> [SuppressionPattern.Witness.Change] {
        var result: [SuppressionPattern.Witness.Change] = []
        for step in change.steps {
            var rest = step.amount
            for leaf in problem.leafMembers[Int(step.leaf)] {
                if rest == 0 { break }
                let amount = rest > 0 ? rest : max(rest, -original.measures[measure].values[Int(leaf)])
                rest -= amount
                if amount != 0 { result.append(.init(leaf: LeafIndex(leaf), amount: amount)) }
            }
        }
        return result.sorted { $0.leaf < $1.leaf }
    }
}
