/// One row of a data table: numbers, or what stands in their place.
struct DataRowView {
    let labels: [String]
    let numbers: [String]
    let rowWithheld: Bool
    let rowImpossible: Bool
    let span: Int

    init(_ figure: Figure, labels: [String], numbers: [String], span: Int) {
        self.labels = labels
        self.numbers = numbers
        self.span = span
        rowWithheld = figure == .withheld
        rowImpossible = figure == .impossible
    }
}
