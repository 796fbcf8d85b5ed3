internal import ThrongPlan

/// A number over periods: a dot a period, joined by lines where both ends are published.
///
/// Lengths across are percentages, lengths down are pixels. A withheld number is a hatched stub, as short as any
/// other's; a period without a release is left empty. No line leads over either.
struct LineChartView {
    let lineSegments: [TemplateView]
    let lineDots: [TemplateView]
    let lineGaps: [TemplateView]
    let lineNotes: [TemplateView]
    let lineTicks: [TemplateView]
    let lineGrid: [TemplateView]
    let lineHeads: [String]
    let height: String
    let stubY: String
    let stubHeight: String
    let baseline: String
    /// The width of what stands beside the drawing. Unit: ems.
    let axis: Double
    let axisWidth: String
    let labelY: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    private static let mostTicks = 5
    /// More of them are small, as they would lie on each other.
    private static let mostDots = 16
    /// The drawing on a screen of 320 pixels, what is beside it there, and the letters in it. Unit: pixels.
    private static let (narrowest, beside, letters) = (231.0, 14.0, 12.0)
    /// One of two drawings side by side there. Unit: pixels.
    private static let half = 104.0

    init(_ answer: InsightAnswer, points: [AnswerPoint], row: Int, label: String?, anchor: String, isSpark: Bool) {
        let marks = points.map { answer.mark($0.figures[row]) }
        self.init(
            marks, periods: points.map { answer.names.short($0.period) }, label: label,
            scale: LineScale(over: marks.compactMap(\.value)),
            isShare: answer.unit == "share", locale: answer.locale, isSpark: isSpark,
            notes: isSpark
                ? []
                : answer.notes.compactMap { note in
                    points.firstIndex { $0.period == note.period }.map { (place: $0, words: note.words) }
                },
            Charts.Caption(
                name: label == nil ? "\(anchor)-chart" : "\(anchor)-chart-\(row + 1)",
                title: [answer.insight.title, label].compactMap { $0 }.joined(separator: ": "),
                summary: answer.locale.joined([
                    answer.locale.say(
                        .lineSummary,
                        ["periods": answer.wording.periods(points.count, points.last?.period.kind ?? .day)]),
                    label == nil ? answer.sentence : "", answer.locale.say(.alsoInTable),
                ])))
    }

    /// A number over periods with these names.
    init(
        _ marks: [ChartMark], periods: [String], label: String?, scale: LineScale, isShare: Bool,
        locale: Language = .english, isSpark: Bool = false, notes: [(place: Int, words: String)] = [],
        _ caption: Charts.Caption
    ) {
        let (top, plot) = isSpark ? (4.0, 36.0) : (12.0, label == nil ? 150.0 : 80.0)
        let count = Double(marks.count)
        func across(_ place: Int) -> String { Coordinate.percent((Double(place) + 0.5) / count) }
        func down(_ value: Double) -> String { Coordinate.number(top + plot - plot * scale.height(of: value)) }
        lineSegments = zip(marks, marks.dropFirst()).enumerated().compactMap { place, pair in
            guard let left = pair.0.value, let right = pair.1.value else { return nil }
            return [
                "segmentFrom": across(place), "segmentTo": across(place + 1), "segmentStart": down(left),
                "segmentEnd": down(right),
            ] as TemplateView
        }
        lineNotes = notes.map { ["noteX": across($0.place), "noteTitle": $0.words] }
        let last = marks.lastIndex { $0.value != nil }
        lineDots = marks.enumerated().compactMap { place, mark in
            guard let value = mark.value, !isSpark || place == last else { return nil }
            return [
                "dotX": across(place), "dotY": down(value),
                "dotRadius": isSpark || place == last ? "5" : marks.count > Self.mostDots ? "1.5" : "3.75",
                "dotTitle": "\(periods[place]): \(mark.words(in: locale))",
            ] as TemplateView
        }
        lineGaps = marks.enumerated().compactMap { place, mark in
            guard mark == .withheld else { return nil }
            return [
                "gapX": Coordinate.percent(Double(place) / count), "gapWidth": Coordinate.percent(1 / count),
                "gapTitle": "\(periods[place]): \(mark.text(in: locale))",
            ] as TemplateView
        }
        let marked = isSpark ? [] : scale.marks.map { ($0, scale.text($0, isShare: isShare, in: locale)) }
        lineGrid = marked.map { ["gridY": down($0), "gridLabel": $1] }
        // Numbers stand beside the drawing, so that no line leads through them.
        axis = (marked.map(\.1.width).max() ?? -0.7) + 0.7
        axisWidth = "\(Coordinate.number(axis))em"
        let room = (label == nil ? Self.narrowest : Self.half) - axis * Self.letters
        lineTicks = isSpark ? [] : Self.ticks(periods, room: room)
        lineHeads = [label].compactMap { $0 }
        height = Coordinate.number(top + plot + (isSpark ? 4 : 28))
        let stub = isSpark ? 8.0 : 14.0
        stubY = Coordinate.number(top + plot - stub)
        (stubHeight, baseline) = (Coordinate.number(stub), down(0))
        labelY = Coordinate.number(top + plot + 20)
        (chartID, chartTitle, chartSummary) = (caption.name, caption.title, caption.summary)
    }

    /// Every nth period, counted from the last one: as many as the narrowest drawing has room for; else both ends.
    ///
    /// - Parameter room: the narrowest drawing, in pixels.
    static func ticks(_ periods: [String], room: Double) -> [TemplateView] {
        let width = (periods.map(\.width).max() ?? 0) * letters
        let pitch = room / Double(periods.count)
        // A label that does not fit beside the drawing begins or ends with it.
        let isWide = width > pitch + 2 * beside
        let most = min(max(Int(room / (width * (isWide ? 1.5 : 1) + 8)), 1), mostTicks)
        let last = periods.count - 1
        // Where one has room, the ends may both have it.
        let step = most == 1 && 2 * width + 8 <= room ? max(last, 1) : (periods.count + most - 1) / most
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

/// A scale from zero, or a round number at or below the lowest one, to a round number at or above the highest, with two
/// or three between.
struct LineScale {
    let top: Double
    /// The lower end: zero, unless something lies below it.
    let bottom: Double
    /// The places at which lines are drawn, ascending; without zero where that is the lower end.
    let marks: [Double]
    private let step: Double

    init(highest: Double, lowest: Double = 0) {
        let (high, low) = (max(highest, 0), min(lowest, 0))
        let range = high - low
        guard range > 0, range.isFinite else {
            (top, bottom, marks, step) = (1, 0, [], 1)
            return
        }
        var power = 1.0
        while power * 10 <= range { power *= 10 }
        while power > range { power /= 10 }
        let steps = [0.2, 0.25, 0.5, 1, 2, 2.5, 5].map { $0 * power }
        let step = steps.first { range / $0 <= 4 } ?? 5 * power
        let last = Int((high / step).rounded(.up))
        let first = Int((low / step).rounded(.down))
        self.step = step
        top = Double(last) * step
        bottom = Double(first) * step
        marks = (first...max(last, first)).filter { $0 != 0 || first < 0 }.map { Double($0) * step }
    }

    init(over values: [Double]) { self.init(highest: values.max() ?? 0, lowest: values.min() ?? 0) }

    func height(of value: Double) -> Double { min(max((value - bottom) / (top - bottom), 0), 1) }

    /// A mark as it is written beside its line: "2,000", "40%".
    func text(_ mark: Double, isShare: Bool, in locale: Language) -> String {
        if isShare { return locale.percent(ofHundred: Decimals(exactly: mark * 100).rounded(to: 1)) }
        return locale.text(Decimals(exactly: mark).rounded(to: step < 1 ? 2 : 1).withoutTrailingZeros)
    }
}
