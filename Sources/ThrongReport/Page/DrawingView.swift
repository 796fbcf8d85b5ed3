internal import ThrongPlan

/// A drawing of one insight as a file of its own: SVG that other pages and slides show, with its heading and its period.
///
/// It has no script and nothing from elsewhere; its letters are not scaled. Shades and single numbers have none.
enum DrawingView {
    /// The sizes of a drawing: as wide as a chart without its borders, and the lines above it. Unit: pixels.
    private static let (width, top, gap) = (672.0, 84.0, 24.0)
    /// The widest heading. Unit: ems.
    private static let widestHeading = 36.0
    /// The letters beside an axis, and the line above one of several drawings. Unit: pixels.
    private static let (letters, line) = (12.0, 22.0)

    /// Returns the view of an answer's drawing; nil where it has none.
    static func of(_ answer: InsightAnswer, in document: ReportDocument, css: String) -> TemplateView? {
        guard let answered = answer.answered else { return nil }
        let (kind, charts) = SectionView.charts(answer, answered, anchor: "drawing")
        guard kind != "heatTables", !charts.isEmpty else { return nil }
        var bottom = top
        let drawn = charts.map { chart -> TemplateView in
            var view: TemplateView = [kind: [chart], "drawnY": Coordinate.number(bottom)]
            var height = 16.0
            if let bars = chart as? BarChartView { height = Double(bars.height) ?? 0 }
            if let ranges = chart as? RangeChartView { height = Double(ranges.height) ?? 0 }
            if let lines = chart as? LineChartView {
                let (axis, head) = (lines.axis * letters, lines.lineHeads.isEmpty ? 0 : line)
                height = head + (Double(lines.height) ?? 0)
                view["headHeight"] = Coordinate.number(head)
                view["axisPixels"] = Coordinate.number(axis)
                view["plotPixels"] = Coordinate.number(width - axis)
            }
            view["drawnHeight"] = Coordinate.number(height)
            bottom += height + gap
            return view
        }
        return [
            "css": css, "pageLanguage": document.locale.tag.attributes, "drawn": drawn,
            "drawingHeight": Coordinate.number(bottom),
            "heading": answer.insight.title.shortened(toWidth: widestHeading),
            "drawingCaption": "\(document.periodTitle) · \(document.app.title)",
        ]
    }
}
