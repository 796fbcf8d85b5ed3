import ThrongIngest
import ThrongPlan

extension Oracle {
    /// A sum holds no more than was sent, and in the end no less than was acknowledged.
    func checkSums(_ state: DatabaseState, isFinal: Bool) -> Violation? {
        for cell in 0..<Town.cells {
            let found = state.counters[.init(metric: Town.paid, measure: 1, cell: UInt32(cell))] ?? 0
            if found > possibleSum[cell] {
                return Violation(
                    promise: .doubled, detail: "cell \(cell) adds up to \(found), sent \(possibleSum[cell])")
            }
            if isFinal, found < certainSum[cell] {
                return Violation(
                    promise: .lost, detail: "cell \(cell) adds up to \(found), acknowledged \(certainSum[cell])")
            }
        }
        return nil
    }
}
