/// One column.
struct ColumnView {
    let columnX: String
    let columnWidth: String
    let columnY: String
    let columnHeight: String
    let valueY: String
    let columnLabel: String
    let columnTitle: String
    let columnValue: String
    let columnFigure: String
    let columnPublished: Bool
    let columnWithheld: Bool
}
