internal import ThrongPlan

/// One insight: heading, sentence, chart, data table, what is withheld, and what the numbers stand on.
///
/// At most one kind of chart is there; arrays of none or some keep the template free of lookups in outer scopes.
enum SectionView {
    /// - Parameter whyLanguage: the attributes of language of what says why it is asked.
    static func of(_ answer: InsightAnswer, tile: TileView, ordinal: Int, whyLanguage: String) -> TemplateView {
        var view: TemplateView = [
            "anchor": tile.anchor, "ordinal": ordinal, "heading": answer.insight.title,
            "headingLanguage": tile.tileLanguage, "whyLanguage": whyLanguage, "answerSentence": answer.sentence,
        ]
        view["why"] = [answer.insight.explanation ?? answer.question].filter { !$0.isEmpty }
        view["scopes"] = answer.filters.map { "\($0.title): \($0.bucket)" }
        guard let answered = answer.answered else { return view }
        let table = answered.table
        var isCharted = false
        view["evidenceClass"] = "evidence"
        switch (answered.view, answer.insight.kind) {
        case (.trend(let points), _):
            let lines = Self.lines(answer, table, points, anchor: tile.anchor)
            view["lineCharts"] = lines
            if lines.count > 1 { view["evidenceClass"] = "evidence wide" }
        case (_, .quantiles(let quantiles)):
            view["rangeCharts"] = [
                RangeChartView(answer, table: table, quantiles: quantiles, anchor: tile.anchor)
            ]
        case (.ranking(let ranking), _):
            view["barCharts"] = [BarChartView(answer, ranking: ranking, anchor: tile.anchor)]
        case (.funnel(let stages), _):
            view["barCharts"] = [BarChartView(answer, answered: answered, stages: stages, anchor: tile.anchor)]
        case (.table, let kind) where answered.axes.count == 1 && kind.isOrdered:
            view["columnCharts"] = [ColumnChartView(answer, answered: answered, anchor: tile.anchor)]
        case (.table, _) where answered.axes.count > 1:
            let heats = [HeatTableView(answer, answered: answered)].compactMap { $0 }
            view["heatTables"] = heats
            // Shades have no room for intervals.
            isCharted = !heats.isEmpty && !answered.basis.hasInterval(answer.insight.kind)
        case (.table, _), (.change, _):
            if answered.axes.isEmpty {
                view["stats"] = table.rows.prefix(1).map {
                    StatView.of(answer, tile: tile, figure: $0.figure, anchor: tile.anchor)
                }
            } else {
                view["barCharts"] = [BarChartView(answer, answered: answered, anchor: tile.anchor)]
            }
        }
        view["hasEvidence"] = !isCharted
        if !isCharted { view["dataTables"] = [DataTableView(answer, answered: answered)] }
        view["withheldNotes"] = answer.withheldNotes
        view["chanceNotes"] = answer.leaningNotes
        view["ageNotes"] = answer.ageNotes + answer.likenesses
        view["basisParts"] = answered.basis.words(in: answer.wording)
        return view
    }

    /// One drawing a row, all by one scale.
    private static func lines(
        _ answer: InsightAnswer, _ table: AnswerTable, _ points: [AnswerPoint], anchor: String
    ) -> [LineChartView] {
        let scale = LineScale(over: points.flatMap(\.figures).compactMap { $0.quantity?.approximate })
        return table.rows.enumerated().map { place, row in
            LineChartView(
                answer, points: points, row: place, label: row.buckets.isEmpty ? nil : row.label, anchor: anchor,
                isSpark: false, scale: scale)
        }
    }
}

extension Insight.Kind {
    /// True if its rows follow one another: bands, weeks.
    fileprivate var isOrdered: Bool {
        switch self {
        case .distribution, .retention, .frequency: true
        case .count, .reach, .share, .mean, .quantiles, .funnel: false
        }
    }
}
