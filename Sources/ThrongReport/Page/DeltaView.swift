internal import ThrongInsight
internal import ThrongPlan

/// How one number changed since an earlier period, in a line.
struct DeltaView {
    let deltaText: String
    let deltaAgainst: String
    let deltaPublished: Bool
    let deltaWithheld: Bool
    /// What stands in the place of a change that everybody knows not to be there.
    let deltaNothings: [String]

    init(_ answer: InsightAnswer, _ comparison: AnswerComparison, row: Int) {
        let kind = comparison.period.kind
        deltaAgainst = "\(comparison.reference.words(of: kind)), \(answer.names.short(comparison.period))"
        let outcome = row < comparison.rows.count ? comparison.rows[row].change : .absent(.notReleased)
        deltaText = outcome.change.map(answer.short) ?? ""
        deltaPublished = outcome.change != nil
        deltaWithheld = outcome == .withheld
        deltaNothings = [outcome.nothing].compactMap { $0 }
    }
}

extension AnswerComparison.Outcome {
    /// The marker of a change that is neither published nor withheld.
    var nothing: String? {
        switch self {
        case .published, .withheld: nil
        case .impossible: Impossible.marker
        case .absent(let absence): absence.marker
        }
    }
}
