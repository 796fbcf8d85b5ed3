internal import ThrongPlan

/// A column histogram, one column a band.
///
/// Lengths across are percentages, lengths down are pixels. A withheld band has a hatched stub, as short as any other's.
struct ColumnChartView {
    let columns: [TemplateView]
    let height: String
    let baseline: String
    let stubY: String
    let stubHeight: String
    let slanted: Bool
    let upright: Bool
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    let columnsClass: String

    private static let top = 22.0
    private static let plot = 190.0
    private static let stub = 14.0
    /// The drawing on a screen of 320 pixels, and where it is narrow on a wide one or on paper. Unit: pixels.
    private static let narrowest = 231.0
    private static let narrow = 360.0
    /// Letters of labels and of numbers. Unit: pixels.
    private static let letters = (label: 13.0, figure: 12.0)

    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered, anchor: String) {
        let table = answered.table
        let highest = max(table.rows.compactMap { $0.figure.quantity?.approximate }.max() ?? 0, 1)
        let step = 1 / Double(max(table.rows.count, 1))
        let figures = table.rows.map { Self.short($0.figure.quantity, of: answered.shareBase?.quantity, answer) }
        let widest = (figures.map(\.width).max() ?? 0) * 1.06 * Self.letters.figure
        // Numbers without room for all of them stand in the table alone.
        let hasFigures = widest <= Self.narrow * step
        columnsClass = hasFigures && widest > Self.narrowest * step ? "columns roomy" : "columns"
        let pixels = Self.narrowest * step
        let isSlanted = (table.rows.map(\.label.width).max() ?? 0) * Self.letters.label + 6 > pixels
        (slanted, upright) = (isSlanted, !isSlanted)
        // Slanted lines of letters need their height between them, across.
        let every = isSlanted ? max(Int((Self.letters.label * 1.45 * 2.0.squareRoot() / pixels).rounded(.up)), 1) : 1
        let labels = table.rows.enumerated().map { place, row -> String in
            guard place.isMultiple(of: every) else { return "" }
            guard isSlanted else { return row.label }
            let label = Self.brief(row.label)
            // They lean to the left, at most to the card's edge, and fall no lower than the page can spare.
            let across = (Double(place) + 0.65) * pixels + 18
            return label.shortened(toWidth: min(across * 2.0.squareRoot() / Self.letters.label, 12))
        }
        columns = table.rows.enumerated().map { place, row in
            let quantity = row.figure.quantity
            let tall = Self.plot * (quantity?.approximate ?? 0) / highest
            return [
                "columnX": Coordinate.percent(Double(place) * step),
                "columnWidth": Coordinate.percent(step),
                "columnY": Coordinate.number(Self.top + Self.plot - tall),
                "columnHeight": Coordinate.number(tall),
                "valueY": Coordinate.number(Self.top + Self.plot - tall - 7),
                "columnLabel": labels[place],
                "columnTitle": row.label,
                "columnValue": quantity.map(answer.words) ?? row.figure.marker ?? "",
                "columnFigure": hasFigures ? figures[place] : "",
                "columnPublished": quantity != nil,
                "columnWithheld": row.figure == .withheld,
            ] as TemplateView
        }
        let longest = (labels.map(\.width).max() ?? 0) * Self.letters.label
        baseline = Coordinate.number(Self.top + Self.plot)
        stubY = Coordinate.number(Self.top + Self.plot - Self.stub)
        stubHeight = Coordinate.number(Self.stub)
        height = Coordinate.number(Self.top + Self.plot + (slanted ? 22 + longest / 2.0.squareRoot() : 28))
        chartID = "\(anchor)-chart"
        chartTitle = answer.insight.title
        var unit = "range"
        if case .retention = answer.insight.kind { unit = "week" }
        chartSummary = "Columns, one a \(unit), in order. \(answer.sentence) \(Wording.alsoInTable)"
    }

    /// The label of the first band with a sign for its word: "< 10".
    private static func brief(_ label: String) -> String {
        guard let bound = label.wholeMatch(of: /under ([0-9].*)/)?.1 else { return label }
        return "< \(bound)"
    }

    /// The share where the whole is published: it is shorter than the number, which the table has.
    private static func short(_ quantity: Quantity?, of whole: Quantity?, _ answer: InsightAnswer) -> String {
        guard let quantity else { return "" }
        guard let part = quantity.amount, let all = whole?.amount, all > 0 else { return answer.text(quantity) }
        return answer.wording.share(quantity, part, of: all)
    }
}
