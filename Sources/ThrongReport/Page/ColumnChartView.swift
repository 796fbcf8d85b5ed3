internal import ThrongPlan

/// A column histogram, one column a band.
///
/// Lengths across are percentages, lengths down are pixels. A withheld band has its whole column hatched.
struct ColumnChartView {
    let columns: [ColumnView]
    let height: String
    let baseline: String
    let plotTop: String
    let plotHeight: String
    let slanted: Bool
    let upright: Bool
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    private static let top = 22.0
    private static let plot = 190.0
    /// The narrowest drawing that letters must fit into. Unit: pixels.
    private static let narrowest = 280.0

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered, anchor: String) {
        let table = answered.table
        let highest = max(table.rows.compactMap { $0.figure.quantity?.approximate }.max() ?? 0, 1)
        let step = 1 / Double(max(table.rows.count, 1))
        let longest = Double(table.rows.map { $0.label.shortened(to: 18).count }.max() ?? 0)
        slanted = longest * 7 + 8 > Self.narrowest * step
        upright = !slanted
        columns = table.rows.enumerated().map { place, row in
            let quantity = row.figure.quantity
            // Noise may take a number below nothing: its column is empty.
            let tall = Self.plot * max(quantity?.approximate ?? 0, 0) / highest
            return ColumnView(
                columnX: Coordinate.percent(Double(place) * step),
                columnWidth: Coordinate.percent(step),
                columnY: Coordinate.number(Self.top + Self.plot - tall),
                columnHeight: Coordinate.number(tall),
                valueY: Coordinate.number(Self.top + Self.plot - tall - 7),
                columnLabel: row.label.shortened(to: 18),
                columnTitle: row.label,
                columnValue: quantity.map(answer.words) ?? row.figure.marker ?? "",
                columnFigure: Self.short(quantity, of: answered.shareBase?.quantity, answer),
                columnPublished: quantity != nil,
                columnWithheld: row.figure == .withheld)
        }
        baseline = Coordinate.number(Self.top + Self.plot)
        plotTop = Coordinate.number(Self.top)
        plotHeight = Coordinate.number(Self.plot)
        height = Coordinate.number(Self.top + Self.plot + (slanted ? 22 + longest * 5.2 : 28))
        chartID = "\(anchor)-chart"
        chartTitle = answer.insight.title
        var unit = "band"
        if case .retention = answer.insight.kind { unit = "week" }
        chartSummary = "Columns, one a \(unit), in order. \(answer.sentence) The table has the same numbers."
    }

    /// The share where the whole is published: it is shorter than the number, which the table has.
    private static func short(_ quantity: Quantity?, of whole: Quantity?, _ answer: InsightAnswer) -> String {
        guard let quantity else { return "" }
        guard let part = quantity.amount, let all = whole?.amount, all > 0 else { return answer.text(quantity) }
        return answer.locale.percent(part, of: all)
    }
}
