internal import ThrongPlan

/// A single number, with a bar where it is a share, and how it changed.
enum StatView {
    static func of(_ answer: InsightAnswer, tile: TileView, figure: Figure, anchor: String) -> TemplateView {
        let quantity = figure.quantity
        var view: TemplateView = [
            "statNumber": tile.number, "statUnit": tile.numberUnit, "statPublished": quantity != nil,
            "statWithheld": figure == .withheld, "statDeltas": tile.deltas, "chartID": "\(anchor)-chart",
            "chartTitle": answer.insight.title, "chartSummary": answer.sentence,
        ]
        view["statNothings"] = [figure.nothing].compactMap { $0 }
        view["isShare"] = if case .share = answer.insight.kind { true } else { false }
        view["shareWidth"] = Coordinate.percent(quantity?.approximate ?? 0)
        return view
    }
}

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
