internal import ThrongPlan

/// A number over periods: a dot a period, joined by lines where both ends are published.
///
/// Lengths across are percentages, lengths down are pixels. A withheld number is a hatched stub, as short as any
/// other's; a period without a release is left empty. No line leads over either.
struct LineChartView {
    let lineSegments: [TemplateView]
    let lineDots: [TemplateView]
    let lineGaps: [TemplateView]
    let lineTicks: [TemplateView]
    let lineGrid: [TemplateView]
    let lineHeads: [String]
    let height: String
    let stubY: String
    let stubHeight: String
    let baseline: String
    let axisWidth: String
    let labelY: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    private static let mostTicks = 5
    /// The drawing on a screen of 320 pixels, what is beside it there, and the letters in it. Unit: pixels.
    private static let (narrowest, beside, letters) = (231.0, 14.0, 12.0)

    init(
        _ answer: InsightAnswer, points: [AnswerPoint], row: Int, label: String?, anchor: String, isSpark: Bool,
        scale: LineScale? = nil
    ) {
        let marks = points.map { answer.mark($0.figures[row]) }
        self.init(
            marks, periods: points.map { answer.names.short($0.period) }, label: label,
            scale: scale ?? LineScale(over: marks.compactMap(\.value)),
            isShare: answer.unit == "share", locale: answer.locale, isSpark: isSpark,
            Charts.Caption(
                name: label == nil ? "\(anchor)-chart" : "\(anchor)-chart-\(row + 1)",
                title: [answer.insight.title, label].compactMap { $0 }.joined(separator: ": "),
                summary:
                    "A line over \(answer.wording.count(points.count, points.last?.period.kind.rawValue ?? "period")), with gaps where "
                    + "there is no number. \(label == nil ? answer.sentence + " " : "")\(Wording.alsoInTable)")
        )
    }

    /// A number over periods with these names.
    init(
        _ marks: [ChartMark], periods: [String], label: String?, scale: LineScale, isShare: Bool,
        locale: ReportLocale = .english, isSpark: Bool = false, _ caption: Charts.Caption
    ) {
        let (top, plot) = isSpark ? (4.0, 36.0) : (12.0, label == nil ? 190.0 : 110.0)
        let count = Double(marks.count)
        func across(_ place: Int) -> String { Coordinate.percent((Double(place) + 0.5) / count) }
        func down(_ value: Double) -> String {
            Coordinate.number(top + plot - plot * scale.height(of: value))
        }
        lineSegments = zip(marks, marks.dropFirst()).enumerated().compactMap { place, pair in
            guard let left = pair.0.value, let right = pair.1.value else { return nil }
            return [
                "segmentFrom": across(place), "segmentTo": across(place + 1), "segmentStart": down(left),
                "segmentEnd": down(right),
            ] as TemplateView
        }
        let last = marks.lastIndex { $0.value != nil }
        lineDots = marks.enumerated().compactMap { place, mark in
            guard let value = mark.value, !isSpark || place == last else { return nil }
            return [
                "dotX": across(place), "dotY": down(value), "dotRadius": isSpark || place == last ? "5" : "3.75",
                "dotTitle": "\(periods[place]): \(mark.words)",
            ] as TemplateView
        }
        lineGaps = marks.enumerated().compactMap { place, mark in
            guard mark == .withheld else { return nil }
            return [
                "gapX": Coordinate.percent(Double(place) / count), "gapWidth": Coordinate.percent(1 / count),
                "gapTitle": "\(periods[place]): \(Withheld.marker)",
            ] as TemplateView
        }
        let marked = isSpark ? [] : scale.marks.map { ($0, scale.text($0, isShare: isShare, in: locale)) }
        lineGrid = marked.map { ["gridY": down($0), "gridLabel": $1] }
        // Numbers stand beside the drawing, so that no line leads through them.
        let axis = (marked.map(\.1.width).max() ?? -0.7) + 0.7
        axisWidth = "\(Coordinate.number(axis))em"
        lineTicks = isSpark ? [] : Self.ticks(periods, axis: axis * Self.letters)
        lineHeads = [label].compactMap { $0 }
        height = Coordinate.number(top + plot + (isSpark ? 4 : 28))
        let stub = isSpark ? 8.0 : 14.0
        stubY = Coordinate.number(top + plot - stub)
        stubHeight = Coordinate.number(stub)
        baseline = down(0)
        labelY = Coordinate.number(top + plot + 20)
        chartID = caption.name
        chartTitle = caption.title
        chartSummary = caption.summary
    }

    /// Every nth period, counted from the last one: as many as the narrowest drawing has room for.
    ///
    /// - Parameter axis: what the numbers beside the drawing take, in pixels.
    private static func ticks(_ periods: [String], axis: Double) -> [TemplateView] {
        let width = (periods.map(\.width).max() ?? 0) * letters
        let pitch = (narrowest - axis) / Double(periods.count)
        // A label that does not fit beside the drawing begins or ends with it.
        let isWide = width > pitch + 2 * beside
        let most = min(max(Int((narrowest - axis) / (width * (isWide ? 1.5 : 1) + 8)), 1), mostTicks)
        let step = (periods.count + most - 1) / most
        let last = periods.count - 1
        return periods.indices.filter { (last - $0).isMultiple(of: step) }.map { place in
            let end = isWide && place == last ? "100%" : isWide && place == 0 ? "0" : nil
            return [
                "tickX": end ?? Coordinate.percent((Double(place) + 0.5) / Double(periods.count)),
                "tickLabel": periods[place],
                "tickClass": end == nil ? "label tick" : place == last ? "label tick last" : "label tick first",
            ] as TemplateView
        }
    }
}
