/// A proof that a sensitive cell needs: another table, consistent with everything published, moves it.
struct PatternProof: Hashable, Sendable {
    /// The sensitive merged column.
    let column: UInt32
    /// The measure that moves.
    let measure: Int
    /// Up or down.
    let direction: Direction
    /// The distance that the cell must move in that direction. Positive.
    let distance: Int64

    /// The bound of an attacker's interval that is pushed.
    enum Direction: Hashable, Sendable {
        case up
        case down
    }

    /// Returns all proofs that a problem's sensitive columns need.
    static func needed(for problem: CompactProblem, original: SuppressionProblem) -> [PatternProof] {
        var result: [PatternProof] = []
        for column in 0..<problem.columnCount where problem.isSensitive[column] {
            for (place, measure) in original.measures.enumerated() {
                let value = problem.value(of: column, measure: place)
                let targets = measure.targets(of: value, threshold: original.threshold)
                if targets.upper > value {
                    result.append(
                        PatternProof(
                            column: UInt32(column), measure: place, direction: .up, distance: targets.upper - value))
                }
                if let lower = targets.lower, lower < value {
                    result.append(
                        PatternProof(column: UInt32(column), measure: place, direction: .down, distance: value - lower))
                }
            }
        }
        return result
    }
}
