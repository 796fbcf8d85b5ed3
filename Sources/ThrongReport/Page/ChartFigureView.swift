/// One number, or what stands in its place, above the right end of its bar.
struct ChartFigureView {
    let figureY: String
    let figureText: String
    let figureClass: String
}
