package import ThrongPlan

/// The charts of report pages, for numbers that do not come from a report.
///
/// Each is a view for the template of its name among ``templates``. A page that holds one defines the pattern
/// `withheld` once, which fills whatever is not published.
package enum Charts {
    /// The title of a chart, and its summary for those who cannot see it; the name makes its ids.
    package struct Caption: Sendable {
        let name: String
        let title: String
        let summary: String

        package init(name: String, title: String, summary: String) {
            (self.name, self.title, self.summary) = (name, title, summary)
        }
    }

    /// bars, lines, spark and heat.
    package static let templates = PackageResources.all

    package static func bars(_ rows: [(label: String, mark: ChartMark)], _ caption: Caption, in locale: Language) -> Any
    { BarChartView(rows.map { BarChartView.Entry(label: $0.label, mark: $0.mark) }, caption, locale: locale) }

    /// Lines over periods, one drawing a series, all by one scale; a withheld number is a gap.
    package static func lines(
        _ series: [(label: String?, marks: [ChartMark])], periods: [String], _ caption: Caption, in locale: Language
    ) -> [Any] {
        let scale = LineScale(over: series.flatMap(\.marks).compactMap(\.value))
        return series.enumerated().map { place, one in
            let own = Caption(
                name: series.count == 1 ? caption.name : "\(caption.name)-\(place + 1)",
                title: [caption.title, one.label].compactMap { $0 }.joined(separator: ": "), summary: caption.summary)
            return LineChartView(
                one.marks, periods: periods, label: one.label, scale: scale, isShare: false, locale: locale, own)
        }
    }

    /// A small line over periods, beside words that say its last number.
    package static func spark(_ marks: [ChartMark]) -> Any {
        LineChartView(
            marks, periods: marks.map { _ in "" }, label: nil, scale: LineScale(over: marks.compactMap(\.value)),
            isShare: false, isSpark: true, Caption(name: "", title: "", summary: ""))
    }

    /// A table whose cells are shaded by their numbers: rows down, the second dimension across.
    package static func heat(
        side: String, across: (title: String, labels: [String]), rows: [(label: String, marks: [ChartMark])],
        hasTotals: Bool = false, _ caption: Caption, in locale: Language
    ) -> Any {
        HeatTableView(
            sideHeads: [side], acrossTitle: across.title, across: across.labels,
            lines: rows.map { ([$0.label], $0.marks) }, hasTotals: hasTotals, rests: [], caption: caption.title,
            locale: locale)
    }
}

/// The mark of one number in a chart: its length and words, or what stands in its place.
package enum ChartMark: Sendable, Hashable {
    /// A published number: for lengths and shades, without its unit, and with it.
    case number(Double, text: String, words: String)
    /// It is not published, because too few are behind it: see ``Withheld``.
    case withheld
    /// There is nothing to be published or withheld: everybody knows why.
    case nothing(String)

    var value: Double? { if case .number(let value, _, _) = self { value } else { nil } }

    /// The number without its unit, or the words in its place.
    package func text(in locale: Language) -> String {
        switch self {
        case .number(_, let text, _): text
        case .withheld: NumberStatus.withheld.marker(in: locale) ?? ""
        case .nothing(let marker): marker
        }
    }

    /// The number with its unit, or the words in its place.
    package func words(in locale: Language) -> String {
        if case .number(_, _, let words) = self { words } else { text(in: locale) }
    }
}

extension InsightAnswer {
    func mark(_ figure: Figure) -> ChartMark {
        switch figure {
        case .published(let quantity): .number(quantity.approximate, text: text(quantity), words: words(quantity))
        case .withheld: .withheld
        case .impossible, .absent: .nothing(figure.marker(in: locale) ?? "")
        }
    }

    /// Returns the values between which a number lies in 19 of 20 cases; nil where nothing bounds it on both sides.
    func span(_ figure: Figure) -> (low: Double, high: Double)? {
        guard let quantity = figure.quantity else { return nil }
        if let interval = interval(of: quantity) {
            let (low, high) = interval.ends
            return low.isFinite && high.isFinite ? (low, high) : nil
        }
        return quantity.within.map { margin in
            (max(quantity.approximate - Double(margin), 0), quantity.approximate + Double(margin))
        }
    }

    /// Returns the description of a drawing: what it is, the answer, and that the table has the same.
    func summary(_ message: Message, _ arguments: KeyValuePairs<String, any MessageArgument>) -> String {
        locale.joined([locale.say(message, arguments), sentence, locale.say(.alsoInTable)])
    }
}

/// The spacing of a chart's rows: a label and a number above each bar, in one line or below each other.
///
/// The two share a line where all rows have room for both on the narrowest page. Otherwise what is said beside the number
/// has a line of its own, or the number has, or both have.
struct ChartRows {
    struct Words {
        let label: String
        let figure: String
        var addition = ""
    }

    /// The width that fits above a bar on a screen of 320 pixels, with a scroll bar. Unit: ems of the letters there.
    static let room = 17.7
    private static let gap = 0.8
    private static let line = 18.0

    private let lines: Int
    /// True if what is said beside the number alone has a line of its own.
    private let isSplit: Bool
    private let bar: Double

    /// - Parameter bar: a bar's height and the space below it, in pixels.
    init(_ rows: [Words], bar: Double) {
        self.bar = bar
        // Numbers are written in heavier letters.
        func width(_ figure: String) -> Double { figure.width * 1.06 }
        func fits(_ figure: (Words) -> String) -> Bool {
            rows.allSatisfy { $0.label.width + Self.gap + width(figure($0)) <= Self.room }
        }
        if fits({ $0.figure + $0.addition }) {
            (lines, isSplit) = (1, false)
        } else if fits(\.figure), rows.allSatisfy({ width($0.addition) <= Self.room }) {
            (lines, isSplit) = (2, true)
        } else {
            lines = rows.allSatisfy { width($0.figure + $0.addition) <= Self.room } ? 2 : 3
            isSplit = false
        }
    }

    private var pitch: Double { bar + 4 + Double(lines) * Self.line }

    /// Returns the height of so many rows. Unit: pixels.
    func height(_ count: Int) -> String { Coordinate.number(max(Double(count) * pitch - 8, 1)) }

    /// Returns the height at which a row's label stands. Unit: pixels.
    func labelY(_ row: Int) -> String { Coordinate.number(Double(row) * pitch + 14) }

    /// Returns the height at which a row's bar begins. Unit: pixels.
    func barY(_ row: Int) -> String { Coordinate.number(Double(row) * pitch + 4 + Double(lines) * Self.line) }

    /// Returns the height of the middle of a row's bar, less half of a whisker. Unit: pixels.
    func barMiddle(_ row: Int) -> String { Coordinate.number(Double(row) * pitch + 8 + Double(lines) * Self.line) }

    func figures(_ words: Words, row: Int, isPublished: Bool) -> [TemplateView] {
        let texts = isSplit || lines == 3 ? [words.figure, words.addition] : [words.figure + words.addition]
        let first = isSplit ? 0 : min(lines - 1, 1)
        return texts.enumerated().map { place, text in
            [
                "figureY": Coordinate.number(Double(row) * pitch + 14 + Double(first + place) * Self.line),
                "figureText": place == 0 ? text : text.withoutSeparator,
                "figureClass": isPublished ? "figure" : "figure nothing",
            ] as TemplateView
        }
    }
}

enum Coordinate {
    /// A fraction of 1, kept within 0 to 1, as "42.13%".
    static func percent(_ fraction: Double) -> String { number(Swift.min(Swift.max(fraction, 0), 1) * 100) + "%" }

    /// Returns a number with at most two decimals, without trailing zeros: the same text on every machine.
    static func number(_ value: Double) -> String {
        let hundredths = Int64((value * 100).rounded(.toNearestOrEven))
        let text = Decimals(hundredths, shiftedBy: 2, over: 1, places: 2).description
        if text.hasSuffix(".00") { return String(text.dropLast(3)) }
        return text.hasSuffix("0") ? String(text.dropLast()) : text
    }
}

extension String {
    /// The text without the point that parts it from what stood before.
    fileprivate var withoutSeparator: String { hasPrefix(" · ") ? String(dropFirst(3)) : self }
}

/// Horizontal bars, one a row of an answer: in the plan's order, or the largest first.
///
/// Lengths across are percentages, lengths down are pixels: the drawing fits any width without scaling its letters.
/// A withheld row has a hatched stub, as short as any other's, whatever it hides.
struct BarChartView {
    let bars: [TemplateView]
    let height: String
    /// The place of the stubs of withheld rows, and the offset to the right at which they begin: by the line from which
    /// bars begin.
    let stubX: String
    let stubOffset: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    struct Entry {
        let label: String
        let mark: ChartMark
        var addition = ""
        var isRest = false
        /// The values between which it lies in 19 of 20 cases; nil where no line is drawn.
        var span: (low: Double, high: Double)?
    }

    /// Every row, in the plan's order; beside each how it changed since the first earlier period, where that is asked
    /// for.
    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered, anchor: String) {
        var changes: [Change?] = []
        if case .change(let comparisons) = answered.view {
            changes = comparisons.first?.rows.map(\.change.change) ?? []
        }
        let entries = answered.table.rows.enumerated().map { place, row in
            let change = place < changes.count ? changes[place] : nil
            return Entry(
                label: row.label, mark: answer.mark(row.figure),
                addition: change.map { " · \(answer.short($0))" } ?? "", span: answer.span(row.figure))
        }
        self.init(answer, entries, order: "plan", anchor: anchor)
    }

    /// The steps of a funnel, each in the middle, with what part of the step before came so far.
    init(_ answer: InsightAnswer, answered: InsightAnswer.Answered, stages: [AnswerStage], anchor: String) {
        let entries = zip(answered.table.rows, stages).map { row, stage in
            let part = stage.ofPrevious?.quantity.map {
                " · " + answer.locale.say(.ofStepBefore, ["share": answer.text($0)])
            }
            return Entry(label: row.label, mark: answer.mark(row.figure), addition: part ?? "")
        }
        self.init(answer, entries, order: "funnel", anchor: anchor, isCentred: true)
    }

    /// The named rows, the largest first, and what they leave of the whole.
    init(_ answer: InsightAnswer, ranking: AnswerRanking, anchor: String) {
        var entries = ranking.rows.map {
            Entry(
                label: "\($0.place(in: answer.locale)). \($0.row.label)", mark: answer.mark($0.row.figure),
                span: answer.span($0.row.figure))
        }
        if let rest = ranking.rest {
            let label = answer.locale.say(.othersTogether)
            entries.append(Entry(label: label, mark: answer.mark(.published(rest)), isRest: true))
        }
        self.init(answer, entries, order: "ranking", anchor: anchor)
    }

    private init(_ answer: InsightAnswer, _ entries: [Entry], order: String, anchor: String, isCentred: Bool = false) {
        let isShare = if case .share = answer.insight.kind { true } else { false }
        self.init(
            entries,
            Charts.Caption(
                name: "\(anchor)-chart", title: answer.insight.title,
                summary: answer.summary(.barsSummary, ["order": order])),
            locale: answer.locale, atLeast: isShare ? 1 : 0, isCentred: isCentred)
    }

    /// Bars in the order given.
    ///
    /// - Parameters:
    ///   - least: what the whole width stands for, where no bar is longer.
    ///   - isCentred: whether bars stand in the middle, as a funnel's do.
    init(
        _ entries: [Entry], _ caption: Charts.Caption, locale: Language = .english, atLeast least: Double = 0,
        isCentred: Bool = false
    ) {
        let values = entries.compactMap(\.mark.value) + entries.compactMap(\.span).flatMap { [$0.low, $0.high] }
        let highest = max(values.max() ?? 0, least)
        let lowest = min(values.min() ?? 0, 0)
        let range = highest > lowest ? highest - lowest : 1
        let words = entries.map {
            ChartRows.Words(label: $0.label, figure: $0.mark.text(in: locale), addition: $0.addition)
        }
        let rows = ChartRows(words, bar: 18)
        bars = zip(entries, words).enumerated().map { place, pair in
            let (entry, words) = pair
            let value = entry.mark.value ?? 0
            return [
                "textY": rows.labelY(place), "barY": rows.barY(place),
                "barX": Coordinate.percent(isCentred ? (1 - abs(value) / range) / 2 : (min(value, 0) - lowest) / range),
                "barWidth": Coordinate.percent(abs(value) / range),
                "barLabel": entry.label.shortened(toWidth: ChartRows.room), "barTitle": entry.label,
                "barValue": entry.mark.words(in: locale),
                "barFigures": rows.figures(words, row: place, isPublished: entry.mark.value != nil),
                "barClass": entry.isRest ? "bar rest" : "bar",
                // A shorter one would be a speck.
                "barWhiskers": [entry.span].compactMap { $0 }.filter { ($0.high - $0.low) / range > 0.02 }.map {
                    Self.whisker($0, from: lowest, range: range, at: rows.barMiddle(place))
                }, "barPublished": entry.mark.value != nil, "barWithheld": entry.mark == .withheld,
            ] as TemplateView
        }
        height = rows.height(entries.count)
        let axis = isCentred ? 0.5 : -lowest / range
        stubX = Coordinate.percent(axis)
        stubOffset = isCentred ? "-14" : "0"
        (chartID, chartTitle, chartSummary) = (caption.name, caption.title, caption.summary)
    }

    private static func whisker(
        _ span: (low: Double, high: Double), from lowest: Double, range: Double, at middle: String
    ) -> TemplateView {
        [
            "whiskerX": Coordinate.percent((span.low - lowest) / range), "whiskerY": middle,
            "whiskerWidth": Coordinate.percent((span.high - span.low) / range),
        ]
    }
}

/// Quantiles on a line: the band of each, and a mark where the value lies if the band's events are spread evenly.
struct RangeChartView {
    let ranges: [TemplateView]
    let height: String
    let chartID: String
    let chartTitle: String
    let chartSummary: String

    init(_ answer: InsightAnswer, table: AnswerTable, quantiles: [Quantile], anchor: String) {
        let readings = table.rows.map { row -> QuantileReading? in
            guard case .published(.quantile(let reading)) = row.figure else { return nil }
            return reading
        }
        let ends = readings.compactMap { $0 }.flatMap { [$0.lowest, $0.highest] }.compactMap { $0?.approximate }
        let low = min(ends.min() ?? 0, 0)
        // Room beyond the last edge, where a band is open.
        let isOpen = readings.contains { $0.map { $0.highest == nil } ?? false }
        let high = max((ends.max() ?? 1) * (isOpen ? 1.2 : 1), low + 1)
        func across(_ value: Double) -> Double { (value - low) / (high - low) }
        let words = table.rows.enumerated().map { place, row in
            let name = QuantileReading.name(of: quantiles[place % quantiles.count], in: answer.locale)
            return ChartRows.Words(
                label: (row.buckets.dropLast().map(\.text) + [name]).joined(separator: " · "),
                figure: row.figure.quantity.map(answer.text) ?? row.figure.marker(in: answer.locale) ?? "")
        }
        let rows = ChartRows(words, bar: 24)
        ranges = zip(table.rows, readings).enumerated().map { place, pair in
            let (row, reading) = pair
            let from = reading.map { $0.lowest.map { across($0.approximate) } ?? 0 } ?? 0
            let to = reading.map { $0.highest.map { across($0.approximate) } ?? 1 } ?? 1
            let text = row.figure.quantity.map(answer.words) ?? row.figure.marker(in: answer.locale) ?? ""
            return [
                "rangeTextY": rows.labelY(place), "rangeY": rows.barY(place), "rangeX": Coordinate.percent(from),
                "rangeWidth": Coordinate.percent(to - from),
                "rangeLabel": words[place].label.shortened(toWidth: ChartRows.room), "rangeTitle": words[place].label,
                "rangeText": text, "rangeFigures": rows.figures(words[place], row: place, isPublished: reading != nil),
                "rangeMarks": [reading?.value].compactMap { $0 }.map { Coordinate.percent(across($0.approximate)) },
                "rangePublished": reading != nil, "rangeWithheld": row.figure == .withheld,
            ] as TemplateView
        }
        (height, chartID, chartTitle) = (rows.height(table.rows.count), "\(anchor)-chart", answer.insight.title)
        chartSummary = answer.summary(.rangesSummary, ["low": answer.locale.text(Decimals(exactly: low))])
    }
}
