internal import ThrongSuppression

extension SuppressionProblem {
    /// Withholds what would let secrets be computed.
    ///
    /// - Parameters:
    ///   - kept: by column: what may leave; only ever becomes less.
    ///   - secrets: by column: what must not follow.
    func close(_ kept: inout [Bool], secrets: [Bool], _ options: SuppressionOptions) throws(SuppressionError) {
        var options = options
        options.proof = .unique
        options.attempts = 1
        options.isStrict = false
        let problem = try SuppressionProblem(
            measures: measures, columns: columns,
            cells: cells.enumerated().map { column, cell in
                CandidateCell(
                    floor: cell.floor, cost: cell.cost, isSensitive: cell.isSensitive || secrets[column],
                    isForced: cell.isForced, isOffered: kept[column], level: cell.level)
            },
            relations: relations, threshold: threshold, unionFloor: unionFloor)
        let pattern = try SuppressionEngine(options: options).pattern(for: problem)
        for column in kept.indices where !pattern.isPublished[column] { kept[column] = false }
    }

    /// By column, whether it is known or a sum or a rest of known ones.
    func known(_ isKnown: (Int) -> Bool) -> [Bool] {
        var known = cells.indices.map(isKnown)
        var isMore = true
        while isMore {
            isMore = false
            for relation in relations {
                let unknown = ([relation.parent] + relation.children).filter { !known[Int($0.value)] }
                guard unknown.count == 1, let column = unknown.first else { continue }
                known[Int(column.value)] = true
                isMore = true
            }
        }
        return known
    }
}
