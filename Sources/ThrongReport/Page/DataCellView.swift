internal import ThrongInsight

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

    /// What stands in the place of a figure that has no number.
    init(insteadOf figure: Figure, span: Int = 1) {
        self.init(withheld: figure == .withheld, nothing: figure == .withheld ? nil : figure.marker, span: span)
    }

    /// What stands in the place of a number.
    init(withheld: Bool, nothing: String?, span: Int = 1) {
        (cellNumbers, cellWithheld, cellNothings, cellSpan) = ([], withheld, [nothing].compactMap { $0 }, span)
    }

    /// A figure, of which each number is a cell of its own; what has none spans them all.
    static func cells(of figure: Figure, numbers: (Quantity) -> [String], span: Int) -> [DataCellView] {
        if let quantity = figure.quantity { return numbers(quantity).map { DataCellView($0) } }
        return [DataCellView(insteadOf: figure, span: span)]
    }
}
