internal import ThrongInsight
internal import ThrongPlan

/// The numbers of an answer as a table, a row each, in the plan's order.
struct DataTableView {
    let caption: String
    let tableClass: String
    let labelHeads: [String]
    let numberHeads: [String]
    let dataRows: [DataRowView]
    /// The total of the withheld rows, in a row of its own before the whole.
    let rests: [DataRowView]
    /// The whole, in a last row of its own.
    let totals: [DataRowView]

    /// The longest word that stays whole. Unit: ems.
    private static let longest = 14.0

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        caption = answer.insight.title
        let columns = DataColumns(answer, answered)
        let table = answered.table
        let blanks = Array(repeating: "", count: max(answered.axes.count - 1, 0))
        switch answered.view {
        case .trend(let points):
            labelHeads = [points.last?.period.kind.rawValue.sentenceCased ?? ""]
            let series = table.rows.map { $0.buckets.isEmpty ? answer.unit.sentenceCased : $0.label }
            numberHeads = answered.axes.isEmpty ? columns.heads : series
            dataRows = points.map { point in
                DataRowView(
                    labels: [answer.names.short(point.period)],
                    cells: point.figures.flatMap { answered.axes.isEmpty ? columns.cells($0) : [columns.cell($0)] })
            }
            (rests, totals) = ([], [])
        case .ranking(let ranking):
            labelHeads = ["Rank"] + answered.axes.map(\.title)
            numberHeads = columns.heads
            dataRows = ranking.rows.map { ranked in
                DataRowView(
                    labels: [ranked.place] + ranked.row.buckets.map(\.text),
                    cells: columns.cells(ranked.row.figure))
            }
            rests = [ranking.rest].compactMap { $0 }.map {
                DataRowView(labels: ["", AnswerRanking.together] + blanks, cells: columns.cells(ofRest: $0))
            }
            totals = [table.whole].compactMap { $0 }.map {
                DataRowView(labels: ["", "All"] + blanks, cells: columns.cells($0))
            }
        case .change(let comparisons) where answered.axes.isEmpty:
            // One number: a row a period is narrower than three columns a period.
            labelHeads = [comparisons.first?.period.kind.rawValue.sentenceCased ?? ""]
            numberHeads = columns.heads.prefix(1) + columns.changeHeads
            let now = table.rows.prefix(1).map { row in
                DataRowView(
                    labels: ["This \(comparisons.first?.period.kind.rawValue ?? "")"],
                    cells: [columns.cell(row.figure)] + columns.changeHeads.map { _ in DataCellView("\u{2013}") })
            }
            let then = comparisons.map { comparison in
                DataRowView(
                    labels: [answer.names.short(comparison.period)],
                    cells: comparison.rows.prefix(1).flatMap(columns.cells))
            }
            dataRows = now + then
            (rests, totals) = ([], [])
        case .change(let comparisons):
            labelHeads = columns.labelHeads
            numberHeads = columns.heads.prefix(1) + comparisons.flatMap(columns.heads)
            dataRows = table.rows.enumerated().map { place, row in
                DataRowView(
                    labels: columns.labels(of: row),
                    cells: [columns.cell(row.figure)]
                        + comparisons.flatMap { columns.cells(of: $0.rows[place]) })
            }
            (rests, totals) = ([], [])
        case .funnel(let stages):
            labelHeads = columns.labelHeads
            numberHeads = columns.heads
            dataRows = zip(table.rows, stages).map { row, stage in
                DataRowView(labels: columns.labels(of: row), cells: columns.cells(row.figure, stage))
            }
            (rests, totals) = ([], [])
        case .table:
            labelHeads = columns.labelHeads
            numberHeads = columns.heads
            dataRows = table.rows.map { DataRowView(labels: columns.labels(of: $0), cells: columns.cells($0.figure)) }
            rests = [table.rest?.quantity].compactMap { $0 }.map {
                DataRowView(labels: [Withheld.together] + blanks, cells: columns.cells(ofRest: $0))
            }
            totals = [table.whole].compactMap { $0 }.map {
                DataRowView(labels: ["All"] + blanks, cells: columns.cells($0))
            }
        }
        // A word without a gap would push the numbers out of sight: it is broken there.
        let words = dataRows.flatMap(\.labels).flatMap { $0.split(separator: " ") }
        tableClass = words.contains { String($0).width > Self.longest } ? "data long" : "data"
    }
}

/// One row of a data table.
struct DataRowView {
    let labels: [String]
    let cells: [DataCellView]
}

/// One cell of a data table: a number, or what stands in its place.
struct DataCellView {
    let cellNumbers: [String]
    let cellWithheld: Bool
    let cellNothings: [String]
    let cellSpan: Int

    /// A number.
    init(_ text: String) {
        (cellNumbers, cellWithheld, cellNothings, cellSpan) = ([text], false, [], 1)
    }

    /// Creates the cell in place of a figure that has no number.
    init(insteadOf figure: Figure, span: Int = 1) {
        self.init(withheld: figure == .withheld, nothing: figure == .withheld ? nil : figure.marker, span: span)
    }

    /// Creates the cell in place of a number.
    init(withheld: Bool, nothing: String?, span: Int = 1) {
        (cellNumbers, cellWithheld, cellNothings, cellSpan) = ([], withheld, [nothing].compactMap { $0 }, span)
    }

    /// A figure, of which each number is a cell of its own; what has none spans them all.
    static func cells(of figure: Figure, numbers: (Quantity) -> [String], span: Int) -> [DataCellView] {
        if let quantity = figure.quantity { return numbers(quantity).map { DataCellView($0) } }
        return [DataCellView(insteadOf: figure, span: span)]
    }
}
