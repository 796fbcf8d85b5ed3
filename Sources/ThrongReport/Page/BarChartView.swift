internal import ThrongPlan

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
        var isShare = false
        if case .share = answer.insight.kind { isShare = true }
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
