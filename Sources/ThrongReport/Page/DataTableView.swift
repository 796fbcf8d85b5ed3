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
        let body = DataTableBody(answer, answered)
        caption = answer.insight.title
        (labelHeads, numberHeads) = (body.labelHeads, body.numberHeads)
        (dataRows, rests, totals) = (body.rows, body.rests, body.totals)
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
