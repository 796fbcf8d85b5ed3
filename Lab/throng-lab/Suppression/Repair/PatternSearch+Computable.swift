extension PatternSearch {
    /// Returns combinations that this pattern must not make computable and does: a sensitive cell less a multiple of a
    /// number that one singleton knows, and unions under k that no hiding of their own relation's cells closes.
    func leftComputable(by system: PublishedSystem) -> [[Term]] {
        var result = Peeling.found(in: system.basis, problem).map { $0.vector(in: problem) }
        let known = published.indices.map { published[$0] || system.isDerivable[$0] }
        for place in closure.open.sorted() {
            let merged = closure.unknown(in: place, known: known).compactMap { problem.mergedColumn[Int($0.value)] }
            let leaves = merged.flatMap { problem.columns[Int($0)] }.sorted()
            result.append(leaves.map { Term(leaf: $0, coefficient: 1) })
        }
        return result
    }
}
