/// One line of a heat table.
struct HeatRowView {
    let sides: [String]
    let heatCells: [HeatCellView]
}
