internal import ThrongPlan

/// A table whose cells are shaded by their numbers: the last axis across, the others down.
///
/// It is chart and data table in one. A withheld cell is hatched, whatever it hides.
struct HeatTableView {
    let heatCaption: String
    let heatName: String
    let sideHeads: [String]
    let sideCount: Int
    let acrossTitle: String
    let acrossCount: Int
    let across: [String]
    let heatRows: [TemplateView]
    /// The total of the withheld cells, in a line of its own.
    let heatRests: [String]
    let restLabel: String

    /// Shades besides the empty one.
    private static let shades = 5

    init?(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        guard let last = answered.axes.last, !last.labels.isEmpty else { return nil }
        let rows = answered.table.rows
        self.init(
            sideHeads: answered.axes.dropLast().map(\.title), acrossTitle: last.title, across: last.labels.map(\.text),
            lines: stride(from: 0, to: rows.count, by: last.labels.count).map { start in
                let line = rows[start..<min(start + last.labels.count, rows.count)]
                return (line.first.map { $0.buckets.dropLast().map(\.text) } ?? [], line.map { answer.mark($0.figure) })
            }, rests: [answered.table.rest?.quantity].compactMap { $0 }.map { answer.part($0, of: answered.shareBase) },
            caption: answer.insight.title, locale: answer.locale)
    }

    /// Lines of marks, each mark below one of the labels across.
    init(
        sideHeads: [String], acrossTitle: String, across: [String], lines: [(sides: [String], marks: [ChartMark])],
        rests: [String], caption: String, locale: Language = .english
    ) {
        restLabel = locale.say(.withheldTogether)
        let highest = lines.flatMap(\.marks).compactMap(\.value).max() ?? 0
        heatCaption = caption
        heatName = locale.say(.tableNamed, ["title": caption])
        (heatRests, self.sideHeads) = (rests, sideHeads)
        (sideCount, self.acrossTitle, acrossCount, self.across) = (sideHeads.count, acrossTitle, across.count, across)
        heatRows = lines.map { line in
            [
                "sides": line.sides,
                "heatCells": line.marks.map { mark in
                    let share = highest > 0 ? (mark.value ?? 0) / highest : 0
                    let shade = min(max(Int((share * Double(Self.shades)).rounded(.up)), 0), Self.shades)
                    return ["heatNumber": mark.text(in: locale), "heatClass": Self.style(mark) ?? "shade-\(shade)"]
                        as TemplateView
                },
            ] as TemplateView
        }
    }

    private static func style(_ mark: ChartMark) -> String? {
        switch mark {
        case .number: nil
        case .withheld: "withheld"
        case .nothing: "impossible"
        }
    }
}
