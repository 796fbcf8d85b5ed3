/// One row of a data table; without numbers it is withheld.
struct DataRowView {
    let labels: [String]
    let numbers: [String]
    let rowWithheld: Bool
    let span: Int

    init(labels: [String], numbers: [String], span: Int) {
        self.labels = labels
        self.numbers = numbers
        self.span = span
        rowWithheld = numbers.isEmpty
    }
}
