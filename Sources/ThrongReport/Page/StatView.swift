internal import ThrongPlan

/// A single number, with a bar where it is a share, and how it changed.
struct StatView {
    let statNumber: String
    let statUnit: String
    let statPublished: Bool
    let statWithheld: Bool
    let statNothings: [String]
    let isShare: Bool
    let shareWidth: String
    let statDeltas: [DeltaView]
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    init(_ answer: InsightAnswer, tile: TileView, figure: Figure, anchor: String) {
        let quantity = figure.quantity
        statNumber = tile.number
        statUnit = tile.numberUnit
        statPublished = quantity != nil
        statWithheld = figure == .withheld
        statNothings = figure == .withheld ? [] : [figure.marker].compactMap { $0 }
        if case .share = answer.insight.kind { isShare = true } else { isShare = false }
        shareWidth = Coordinate.percent(quantity?.approximate ?? 0)
        statDeltas = tile.deltas
        chartID = "\(anchor)-chart"
        chartTitle = answer.insight.title
        chartSummary = answer.sentence
    }
}

/// The change of one number since an earlier period, in a line.
struct DeltaView {
    let deltaText: String
    let deltaAgainst: String
    let deltaPublished: Bool
    let deltaWithheld: Bool
    /// The words in place of a change that everybody knows not to be there.
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
