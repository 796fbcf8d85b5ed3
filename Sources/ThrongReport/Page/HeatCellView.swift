/// One cell of a heat table.
struct HeatCellView {
    let heatNumber: String
    let heatClass: String
}
