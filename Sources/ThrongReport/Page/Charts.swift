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
    package static let templates: [(name: String, bytes: [UInt8])] = [
        ("bars", PackageResources.bars_mustache), ("lines", PackageResources.lines_mustache),
        ("axis", PackageResources.axis_mustache), ("plot", PackageResources.plot_mustache),
        ("spark", PackageResources.spark_mustache), ("heat", PackageResources.heat_mustache),
    ]

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
        _ caption: Caption, in locale: Language
    ) -> Any {
        HeatTableView(
            sideHeads: [side], acrossTitle: across.title, across: across.labels,
            lines: rows.map { ([$0.label], $0.marks) }, rests: [], caption: caption.title, locale: locale)
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
