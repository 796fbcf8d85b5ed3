/// One quantile.
struct RangeView {
    let rangeTextY: String
    let rangeY: String
    let rangeX: String
    let rangeWidth: String
    let rangeLabel: String
    let rangeTitle: String
    let rangeText: String
    let rangeFigures: [ChartFigureView]
    let rangeMarks: [String]
    let rangePublished: Bool
    let rangeWithheld: Bool
}
