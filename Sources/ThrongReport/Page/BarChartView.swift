internal import ThrongPlan

/// Horizontal bars, one a row of an answer, in the plan's order.
///
/// Lengths across are percentages, lengths down are pixels: the drawing fits any width without scaling its letters.
/// A withheld row has the whole track hatched, whatever it hides.
struct BarChartView {
    let bars: [BarView]
    let height: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    private static let pitch = 48.0

    init(_ answer: InsightAnswer, table: AnswerTable, anchor: String) {
        let values = table.rows.compactMap { $0.figure.quantity?.approximate }
        var highest = max(values.max() ?? 0, 0)
        if case .share = answer.insight.kind { highest = max(highest, 1) }
        let lowest = min(values.min() ?? 0, 0)
        let range = highest > lowest ? highest - lowest : 1
        bars = table.rows.enumerated().map { place, row in
            let quantity = row.figure.quantity
            let value = quantity?.approximate ?? 0
            return BarView(
                textY: Coordinate.number(Double(place) * Self.pitch + 14),
                barY: Coordinate.number(Double(place) * Self.pitch + 23),
                barX: Coordinate.percent((min(value, 0) - lowest) / range),
                barWidth: Coordinate.percent(abs(value) / range),
                barLabel: row.label.shortened(to: 28),
                barTitle: row.label,
                barValue: quantity?.words(unit: answer.unit) ?? row.figure.marker ?? "",
                barFigure: quantity?.figureText ?? row.figure.marker ?? "",
                barPublished: quantity != nil,
                barWithheld: row.figure == .withheld,
                barImpossible: row.figure == .impossible)
        }
        height = Coordinate.number(max(Double(table.rows.count) * Self.pitch - 12, 1))
        chartID = "\(anchor)-chart"
        chartTitle = answer.insight.title
        chartSummary =
            "Horizontal bars, one a group, in the plan's order. \(answer.sentence) The table has the same numbers."
    }
}
