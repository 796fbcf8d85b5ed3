/// One bar.
struct BarView {
    let textY: String
    let barY: String
    let barX: String
    let barWidth: String
    let barLabel: String
    let barTitle: String
    let barValue: String
    let barFigures: [ChartFigureView]
    let barClass: String
    let barPublished: Bool
    let barWithheld: Bool
}
