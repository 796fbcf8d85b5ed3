internal import ThrongPlan

/// A table whose cells are shaded by their numbers: the last axis across, the others down.
///
/// It is chart and data table in one. A withheld cell is hatched, whatever it hides.
struct HeatTableView {
    let heatCaption: String
    let sideHeads: [String]
    let sideCount: Int
    let acrossTitle: String
    let acrossCount: Int
    let across: [String]
    let heatRows: [HeatRowView]
    /// What the withheld cells hold together, in a line of its own.
    let heatRests: [String]
    let restLabel = Withheld.together

    /// Shades besides the empty one.
    private static let shades = 5

    init?(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        guard let last = answered.axes.last, !last.labels.isEmpty else { return nil }
        let rows = answered.table.rows
        let highest = rows.compactMap { $0.figure.quantity?.approximate }.max() ?? 0
        heatCaption = answer.insight.title
        heatRests = [answered.table.rest?.quantity].compactMap { $0 }.map {
            answer.part($0, of: answered.shareBase)
        }
        sideHeads = answered.axes.dropLast().map(\.title)
        sideCount = sideHeads.count
        acrossTitle = last.title
        acrossCount = last.labels.count
        across = last.labels.map(\.text)
        heatRows = stride(from: 0, to: rows.count, by: last.labels.count).map { start in
            let line = rows[start..<min(start + last.labels.count, rows.count)]
            return HeatRowView(
                sides: line.first.map { $0.buckets.dropLast().map(\.text) } ?? [],
                heatCells: line.map { row in
                    let share = highest > 0 ? (row.figure.quantity?.approximate ?? 0) / highest : 0
                    let shade = min(max(Int((share * Double(Self.shades)).rounded(.up)), 0), Self.shades)
                    return HeatCellView(
                        heatNumber: row.figure.quantity.map(answer.text) ?? row.figure.marker ?? "",
                        heatClass: Self.style(row.figure) ?? "shade-\(shade)")
                })
        }
    }
    private static func style(_ figure: Figure) -> String? {
        switch figure {
        case .published: nil
        case .withheld: "withheld"
        case .impossible, .absent: "impossible"
        }
    }
}
