/// One row of a data table.
struct DataRowView {
    let labels: [String]
    let cells: [DataCellView]
}
