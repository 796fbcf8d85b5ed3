/// Groupings of the same leaves that do not nest, all with one total.
enum LinkedTable {
    static func problem(
        threshold: Int64, protection: AdditiveMeasure.Protection, using random: inout SecretGenerator
    ) throws(SuppressionError) -> SuppressionProblem {
        let leaves = Int.random(in: 6...50, using: &random)
        let values = (0..<leaves).map { _ in
            Int64.random(in: 0..<3, using: &random) == 0
                ? Int64.random(in: 1..<threshold, using: &random)
                : Int64.random(in: 1...(threshold * 8), using: &random)
        }
        var lists: [[UInt32]] = [Array(0..<UInt32(leaves))]
        var relations: [AdditiveRelation] = []
        let showsLeaves = Bool.random(using: &random)
        if showsLeaves {
            let first = lists.count
            for leaf in 0..<leaves { lists.append([UInt32(leaf)]) }
            relations.append(
                AdditiveRelation(
                    parent: ColumnIndex(0), children: (first..<lists.count).map { ColumnIndex(UInt32($0)) }))
        }
        for _ in 0..<Int.random(in: 2...5, using: &random) {
            let parts = Int.random(in: 2...8, using: &random)
            var groups: [[UInt32]] = Array(repeating: [], count: parts)
            for leaf in 0..<leaves { groups[Int.random(in: 0..<parts, using: &random)].append(UInt32(leaf)) }
            let first = lists.count
            for group in groups where !group.isEmpty {
                if showsLeaves {
                    relations.append(
                        AdditiveRelation(
                            parent: ColumnIndex(UInt32(lists.count)), children: group.map { ColumnIndex($0 + 1) }))
                }
                lists.append(group)
            }
            relations.append(
                AdditiveRelation(
                    parent: ColumnIndex(0), children: (first..<lists.count).map { ColumnIndex(UInt32($0)) }))
        }
        let cells = lists.map { list in
            let value = list.reduce(Int64(0)) { $0 + values[Int($1)] }
            return CandidateCell(cost: 1 + value, isSensitive: value < threshold)
        }
        return try SuppressionProblem(
            measures: [AdditiveMeasure(values: values, protection: protection)], columns: IndexLists(lists),
            cells: cells, relations: relations, threshold: threshold)
    }
}
