extension PatternSearch {
    /// Combinations that this pattern must not make computable and does: a sensitive cell less a multiple of what one
    /// singleton knows, and unions under k that no hiding of their own relation's cells closes.
    func leftComputable(by system: PublishedSystem) -> [ForbiddenCombination] {
        var result: [ForbiddenCombination] = []
        for peeling in Peeling.found(in: system.basis, problem)
        where !peeledByForced.contains(peeling) && !exposed.contains(Int(peeling.column)) {
            result.append(ForbiddenCombination(vector: peeling.vector(in: problem), reason: .singletonsOnly))
        }
        if closure.open.isEmpty { return result }
        // What forced cells tell by themselves stays open whatever is done.
        var ledger = CircuitBasis(leafCount: problem.leafCount, watched: [])
        for column in problem.isForced.indices where problem.isForced[column] {
            ledger.publish(ledger.reduce(problem.columns[column])) { _ in 0 }
        }
        let known = published.indices.map { published[$0] || system.isDerivable[$0] }
        for place in openRelations {
            let merged = closure.unknown(in: place, known: known).compactMap { problem.mergedColumn[Int($0.value)] }
            let leaves = merged.flatMap { problem.columns[Int($0)] }.sorted()
            if ledger.reduce(leaves[...]).isEmpty { continue }
            result.append(
                ForbiddenCombination(
                    vector: leaves.map { Term(leaf: $0, coefficient: 1) }, reason: .closesUnion(relation: place)))
        }
        return result
    }
}
