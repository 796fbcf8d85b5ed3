/// Witnesses of one measure beside which all others have tables, too: the true one, moved along with it.
///
/// A witness moves its measure by what no published number shows, and any multiple of that is such a move of another measure. So
/// where one multiple keeps all leaves in their ranges, there is a joint table, without a program.
struct JointWitnesses {
    private struct Reach: Hashable {
        let column: UInt32
        let measure: Int
    }

    private var up: [Reach: Int64] = [:]
    private var down: [Reach: Int64] = [:]

    /// - Complexity: O(what witnesses change · measures).
    init(_ problem: SuppressionProblem, ranges: [TiedRange], among witnesses: [SuppressionPattern.Witness]) {
        let measures = [0] + ranges.map(\.measure)
        let columnsOfLeaf = problem.columns.transposed(width: problem.leafCount)
        for witness in witnesses where measures.contains(witness.measure) && witness.arrivals.isEmpty {
            guard ranges.allSatisfy({ Self.fits(witness, $0, problem.measures) }) else { continue }
            var moved: [UInt32: Int64] = [:]
            for change in witness.changes {
                for column in columnsOfLeaf[Int(change.leaf.value)] where problem.cells[Int(column)].isSensitive {
                    moved[column, default: 0] += change.amount
                }
            }
            for (column, amount) in moved {
                let reach = Reach(column: column, measure: witness.measure)
                up[reach] = max(up[reach] ?? 0, amount)
                down[reach] = max(down[reach] ?? 0, -amount)
            }
        }
    }

    /// Whether a joint table gets a cell as far.
    func proves(_ proof: Proof) -> Bool {
        let reach = Reach(column: proof.column, measure: proof.measure)
        return ((proof.direction == .up ? up : down)[reach] ?? 0) >= proof.distance
    }

    /// Whether some multiple of what a witness changes, added to the other measure of a range, keeps it.
    private static func fits(
        _ witness: SuppressionPattern.Witness, _ range: TiedRange, _ measures: [AdditiveMeasure]
    ) -> Bool {
        var (least, most) = (-Double.infinity, Double.infinity)
        /// a · t ≤ b.
        func need(_ a: Double, _ b: Double) {
            if a > 0 { most = min(most, b / a) }
            if a < 0 { least = max(least, b / a) }
            if a == 0, b < 0 { most = -.infinity }
        }
        for change in witness.changes {
            let leaf = Int(change.leaf.value)
            let (low, high) = (Double(range.lowest[leaf]), Double(range.highest[leaf]))
            let (count, sum) = (Double(measures[0].values[leaf]), Double(measures[range.measure].values[leaf]))
            let amount = Double(change.amount)
            switch witness.measure {
            case 0:
                // low · (count + amount) ≤ sum + t · amount ≤ high · (count + amount)
                need(-amount, sum - low * (count + amount))
                need(amount, high * (count + amount) - sum)
            case range.measure:
                // low · (count + t · amount) ≤ sum + amount ≤ high · (count + t · amount), and no fewer events than none.
                need(low * amount, sum + amount - low * count)
                need(-high * amount, high * count - sum - amount)
                need(-amount, count)
            default:
                // Count and this sum stay what they are.
                continue
            }
        }
        return least <= most
    }
}
