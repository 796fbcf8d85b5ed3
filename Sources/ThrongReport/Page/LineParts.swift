/// The line between two dots of a trend.
struct LineSegmentView {
    let segmentFrom: String
    let segmentTo: String
    let segmentStart: String
    let segmentEnd: String
}

/// One published number of a trend.
struct LineDotView {
    let dotX: String
    let dotY: String
    let dotRadius: String
    let dotTitle: String
}

/// One withheld number of a trend.
struct LineGapView {
    let gapX: String
    let gapWidth: String
    let gapTitle: String
}

/// One label below a trend.
struct LineTickView {
    let tickX: String
    let tickLabel: String
    let tickClass: String
}

/// One line across a trend, at a round number.
struct LineGridView {
    let gridY: String
    let gridLabel: String
}
