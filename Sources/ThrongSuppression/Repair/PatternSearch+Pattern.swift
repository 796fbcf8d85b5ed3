extension PatternSearch {
    /// The result in the terms of the original problem.
    func pattern() -> SuppressionPattern {
        // Where a cell that was asked for shows the number of one that was not, only the former is published.
        let isPublished = problem.mergedColumn.enumerated().map { place, merged in
            let cell = original.cells[place]
            return (cell.isOffered || cell.isForced) && merged.map { published[Int($0)] } ?? false
        }
        let proofsOfChange = Dictionary(grouping: store.proved.keys, by: { store.proved[$0] ?? -1 })
        let witnesses = store.changes.enumerated().map { place, entry in
            SuppressionPattern.Witness(
                measure: entry.measure, changes: spread(entry.change, measure: entry.measure),
                proves: originals(of: Set((proofsOfChange[place] ?? []).map { Int($0.column) })))
        }
        let unproved: Set<Int>
        if case .witnesses = options.proof {
            unproved = Set(missing.map { Int($0.column) })
        } else {
            unproved = Set(problem.isSensitive.indices.filter { problem.isSensitive[$0] }).subtracting(exposed)
        }
        return SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses, unproved: originals(of: unproved),
            pinned: originals(of: exposed), openRelations: openRelations,
            reasons: problem.mergedColumn.enumerated().map { place, merged in
                if isPublished[place] { return nil }
                if original.cells[place].isSensitive { return .sensitive }
                guard original.cells[place].isOffered else { return .notOffered }
                guard let merged else { return nil }
                // A cell over the leaves of a sensitive one shows the sensitive one's number.
                let twin = problem.members[Int(merged)].first { original.cells[Int($0)].isSensitive }
                if let twin { return .wouldReveal(ColumnIndex(twin)) }
                return reasons[Int(merged)].flatMap(explain) ?? .wouldBound
            },
            extraCost: extraCost, statistics: statistics)
    }

    private func explain(_ reason: HidingReason) -> SuppressionPattern.Reason? {
        switch reason {
        case .sensitive: .sensitive
        case .wouldReveal(let column): name(column).map { .wouldReveal($0) }
        case .wouldBound: .wouldBound
        case .singletonsOnly: .singletonsOnly
        case .closesUnion(let relation): .closesUnion(parent: original.relations[relation].parent)
        case .bounds(let column): name(column).map { .bounds($0) }
        }
    }

    private func name(_ column: UInt32) -> ColumnIndex? { problem.members[Int(column)].first.map { ColumnIndex($0) } }

    /// Only the sensitive ones of the cells that share a column need a proof.
    private func originals(of columns: Set<Int>) -> [ColumnIndex] {
        columns.flatMap { problem.members[$0] }.filter { original.cells[Int($0)].isSensitive }.sorted()
            .map { ColumnIndex($0) }
    }

    /// A change of merged leaves as a change of original ones, none of which falls below zero.
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
