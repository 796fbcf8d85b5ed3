internal import ThrongPlan

/// One insight: heading, sentence, chart, and folded on narrow screens its table, what is withheld, and what the numbers
/// stand on.
///
/// At most one kind of chart is there; arrays of none or some keep the template free of lookups in outer scopes.
enum SectionView {
    /// - Parameters:
    ///   - tongues: the attributes of language of its title and of what says why it is asked.
    ///   - why: the reason for asking it; nil where that is told already.
    ///   - common: what all numbers of the page stand on.
    static func of(
        _ answer: InsightAnswer, anchor: String, tongues: (title: String, why: String), why: String?, common: [String]
    ) -> TemplateView {
        var view: TemplateView = [
            "anchor": anchor, "heading": answer.insight.title, "headingLanguage": tongues.title,
            "whyLanguage": tongues.why, "isAnswered": false,
        ]
        view["why"] = [why].compactMap { $0 }
        view["scopes"] = answer.scopes
        guard let answered = answer.answered else {
            view["openAnswers"] = [answer.sentence]
            return view
        }
        view["isAnswered"] = true
        // The tile of a single number has told it.
        view[answered.axes.isEmpty ? "foldedAnswers" : "openAnswers"] = [answer.sentence]
        let (kind, charts) = charts(answer, answered, anchor: anchor)
        view[kind] = charts
        view["isCharted"] = kind != "heatTables" && !charts.isEmpty
        view["evidenceClass"] = kind == "heatTables" || charts.count > 1 ? "evidence wide" : "evidence"
        // Shades have no room for intervals.
        if kind != "heatTables" || charts.isEmpty || answered.basis.hasInterval(answer.insight.kind) {
            view["dataTables"] = [DataTableView(answer, answered: answered)]
        }
        view["withheldNotes"] = answer.withheldNotes
        view["chanceNotes"] = answer.leaningNotes
        view["ageNotes"] = answer.ageNotes + answer.likenesses + answer.notes.map(\.words)
        view["basisParts"] = answered.basis.words(in: answer.wording).filter { !common.contains($0) }
        return view
    }

    /// Returns the charts of an answer and the name by which the template knows them.
    static func charts(
        _ answer: InsightAnswer, _ answered: InsightAnswer.Answered, anchor: String
    ) -> (kind: String, charts: [Any]) {
        let table = answered.table
        switch (answered.view, answer.insight.kind) {
        case (.trend(let points), _): return ("lineCharts", lines(answer, table, points, anchor: anchor))
        case (_, .quantiles(let quantiles)):
            return ("rangeCharts", [RangeChartView(answer, table: table, quantiles: quantiles, anchor: anchor)])
        case (.ranking(let ranking), _): return ("barCharts", [BarChartView(answer, ranking: ranking, anchor: anchor)])
        case (.funnel(let stages), _):
            return ("barCharts", [BarChartView(answer, answered: answered, stages: stages, anchor: anchor)])
        case (.table, _) where answered.axes.count > 1:
            return ("heatTables", [HeatTableView(answer, answered: answered)].compactMap { $0 })
        case (.table, .share) where answered.axes.isEmpty:
            return ("shareBars", table.rows.prefix(1).map { shareBar($0.figure, answer, anchor: anchor) })
        case (.table, _), (.change, _):
            guard !answered.axes.isEmpty else { return ("barCharts", []) }
            return ("barCharts", [BarChartView(answer, answered: answered, anchor: anchor)])
        }
    }

    private static func shareBar(_ figure: Figure, _ answer: InsightAnswer, anchor: String) -> TemplateView {
        [
            "sharePublished": figure.quantity != nil, "shareWithheld": figure == .withheld,
            "shareWidth": Coordinate.percent(figure.quantity?.approximate ?? 0), "chartID": "\(anchor)-chart",
            "chartTitle": answer.insight.title, "chartSummary": answer.sentence,
        ]
    }

    /// One drawing a row, each by a scale of its own: how one moved would not be seen beside a much larger one.
    private static func lines(
        _ answer: InsightAnswer, _ table: AnswerTable, _ points: [AnswerPoint], anchor: String
    ) -> [LineChartView] {
        table.rows.enumerated().map { place, row in
            LineChartView(
                answer, points: points, row: place, label: row.buckets.isEmpty ? nil : row.label, anchor: anchor,
                isSpark: false)
        }
    }
}
