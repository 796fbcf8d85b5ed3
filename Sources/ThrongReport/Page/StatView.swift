internal import ThrongInsight
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
