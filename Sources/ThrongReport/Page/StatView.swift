internal import ThrongPlan

/// A single number, with a bar where it is a share.
struct StatView {
    let statNumber: String
    let statUnit: String
    let statPublished: Bool
    let statWithheld: Bool
    let statImpossible: Bool
    let isShare: Bool
    let shareWidth: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    init(_ answer: InsightAnswer, tile: TileView, figure: Figure, anchor: String) {
        let quantity = figure.quantity
        statNumber = tile.number
        statUnit = tile.numberUnit
        statPublished = quantity != nil
        statWithheld = figure == .withheld
        statImpossible = figure == .impossible
        if case .share = answer.insight.kind { isShare = true } else { isShare = false }
        shareWidth = Coordinate.percent(quantity?.approximate ?? 0)
        chartID = "\(anchor)-chart"
        chartTitle = answer.insight.title
        chartSummary = answer.sentence
    }
}
