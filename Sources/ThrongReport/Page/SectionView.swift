internal import ThrongPlan

/// One insight: heading, sentence, chart, data table, what is withheld, and what the numbers stand on.
///
/// At most one kind of chart is there; arrays of none or some keep the template free of lookups in outer scopes.
struct SectionView {
    let anchor: String
    let ordinal: Int
    let heading: String
    let headingLanguage: String
    let why: [String]
    let whyLanguage: String
    let scopes: [String]
    let answerSentence: String
    let stats: [StatView]
    let barCharts: [BarChartView]
    let columnCharts: [ColumnChartView]
    let lineCharts: [LineChartView]
    let rangeCharts: [RangeChartView]
    let heatTables: [HeatTableView]
    let dataTables: [DataTableView]
    let hasEvidence: Bool
    let evidenceClass: String
    let withheldNotes: [String]
    /// Sentences about numbers of a sample that lean high.
    let chanceNotes: [String]
    /// The sentences about dimensions that are coarser than asked, because of their age.
    let ageNotes: [String]
    let basisParts: [String]

    /// - Parameter whyLanguage: the attributes of language of what says why it is asked.
    init(_ answer: InsightAnswer, tile: TileView, ordinal: Int, whyLanguage: String) {
        headingLanguage = tile.tileLanguage
        self.whyLanguage = whyLanguage
        anchor = tile.anchor
        self.ordinal = ordinal
        heading = answer.insight.title
        why = [answer.insight.explanation ?? answer.question].filter { !$0.isEmpty }
        scopes = answer.filters.map { "\($0.title): \($0.bucket)" }
        answerSentence = answer.sentence
        var stats: [StatView] = []
        var bars: [BarChartView] = []
        var columns: [ColumnChartView] = []
        var lines: [LineChartView] = []
        var ranges: [RangeChartView] = []
        var heats: [HeatTableView] = []
        var isCharted = false
        if let answered = answer.answered {
            let table = answered.table
            switch (answered.view, answer.insight.kind) {
            case (.trend(let points), _):
                lines = Self.lines(answer, table, points, anchor: tile.anchor)
            case (_, .quantiles(let quantiles)):
                ranges = [RangeChartView(answer, table: table, quantiles: quantiles, anchor: tile.anchor)]
            case (.ranking(let ranking), _):
                bars = [BarChartView(answer, ranking: ranking, anchor: tile.anchor)]
            case (.funnel(let stages), _):
                bars = [BarChartView(answer, answered: answered, stages: stages, anchor: tile.anchor)]
            case (.table, let kind) where answered.axes.count == 1 && kind.isOrdered:
                columns = [ColumnChartView(answer, answered: answered, anchor: tile.anchor)]
            case (.table, _) where answered.axes.count > 1:
                heats = [HeatTableView(answer, answered: answered)].compactMap { $0 }
                // Shades have no room for intervals.
                isCharted = !heats.isEmpty && !answered.basis.hasInterval(answer.insight.kind)
            case (.table, _), (.change, _):
                if answered.axes.isEmpty {
                    stats = table.rows.prefix(1).map {
                        StatView(answer, tile: tile, figure: $0.figure, anchor: tile.anchor)
                    }
                } else {
                    bars = [BarChartView(answer, answered: answered, anchor: tile.anchor)]
                }
            }
            hasEvidence = !isCharted
            dataTables = isCharted ? [] : [DataTableView(answer, answered: answered)]
            withheldNotes = answer.withheldNotes
            chanceNotes = answer.leaningNotes
            ageNotes = answer.ageNotes
            basisParts = answered.basis.words(in: answer.locale) + answered.withheldWords(in: answer.locale)
        } else {
            (dataTables, withheldNotes, chanceNotes, basisParts, hasEvidence) = ([], [], [], [], false)
            ageNotes = []
        }
        self.stats = stats
        barCharts = bars
        columnCharts = columns
        lineCharts = lines
        evidenceClass = lines.count > 1 ? "evidence wide" : "evidence"
        rangeCharts = ranges
        heatTables = heats
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
