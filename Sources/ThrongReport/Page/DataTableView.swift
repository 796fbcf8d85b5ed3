internal import ThrongPlan

struct DataTableView {
    let caption: String
    let tableName: String
    let tableClass: String
    let labelHeads: [String]
    let numberHeads: [String]
    let dataRows: [DataRowView]
    /// The total of the withheld rows, in a row of its own before the whole.
    let rests: [DataRowView]
    let totals: [DataRowView]

    /// The longest word that stays whole. Unit: ems.
    private static let longest = 14.0

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered) {
        let body = DataTableBody(answer, answered)
        caption = answer.insight.title
        tableName = answer.locale.say(.tableNamed, ["title": caption])
        (labelHeads, numberHeads) = (body.labelHeads, body.numberHeads)
        (dataRows, rests, totals) = (body.rows, body.rests, body.totals)
        // A word without a gap would push the numbers out of sight: it is broken there.
        let words = dataRows.flatMap(\.labels).flatMap { $0.split(separator: " ") }
        tableClass = words.contains { String($0).width > Self.longest } ? "data long" : "data"
    }
}

struct DataRowView {
    let labels: [String]
    let cells: [DataCellView]
}

struct DataCellView {
    let cellNumbers: [String]
    let cellWithheld: Bool
    let cellNothings: [String]
    let cellSpan: Int

    init(_ text: String) { (cellNumbers, cellWithheld, cellNothings, cellSpan) = ([text], false, [], 1) }

    init<Value>(insteadOf reported: Reported<Value>, in locale: Language, span: Int = 1) {
        (cellNumbers, cellWithheld, cellSpan) = ([], reported == .withheld, span)
        cellNothings = [reported.nothing(in: locale)].compactMap { $0 }
    }

    /// A figure, of which each number is a cell of its own; what has none spans them all.
    static func cells(
        of figure: Figure, numbers: (Quantity) -> [String], span: Int, in locale: Language
    ) -> [DataCellView] {
        if let quantity = figure.quantity { return numbers(quantity).map { DataCellView($0) } }
        return [DataCellView(insteadOf: figure, in: locale, span: span)]
    }
}
