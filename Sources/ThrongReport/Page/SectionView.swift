internal import ThrongPlan

/// One insight: heading, sentence, chart, data table, what is withheld, and what the numbers stand on.
///
/// At most one of the charts is there; arrays of none or one keep the template free of lookups in outer scopes.
struct SectionView {
    let anchor: String
    let ordinal: Int
    let heading: String
    let why: [String]
    let scopes: [String]
    let answerSentence: String
    let stats: [StatView]
    let barCharts: [BarChartView]
    let columnCharts: [ColumnChartView]
    let heatTables: [HeatTableView]
    let dataTables: [DataTableView]
    let hasEvidence: Bool
    let withheldNotes: [String]
    let noiseNotes: [String]
    let basisParts: [String]

    init(_ answer: InsightAnswer, tile: TileView, ordinal: Int) {
        anchor = tile.anchor
        self.ordinal = ordinal
        heading = answer.insight.title
        why = [answer.insight.explanation ?? answer.question].filter { !$0.isEmpty }
        scopes = answer.filters.map { "\($0.title): \($0.bucket)" }
        answerSentence = answer.sentence
        guard let answered = answer.answered else {
            (stats, barCharts, columnCharts, heatTables, dataTables) = ([], [], [], [], [])
            (withheldNotes, noiseNotes, basisParts, hasEvidence) = ([], [], [], false)
            return
        }
        let table = answered.table
        let single = answered.axes.isEmpty ? table.rows.first?.figure : nil
        stats = single.map { [StatView(answer, tile: tile, figure: $0, anchor: tile.anchor)] } ?? []
        let heats = answered.axes.count > 1 ? HeatTableView(answer, answered: answered) : nil
        heatTables = [heats].compactMap { $0 }
        let charted = answered.axes.count == 1
        columnCharts =
            charted && answer.insight.kind.isOrdered
            ? [ColumnChartView(answer, answered: answered, anchor: tile.anchor)] : []
        barCharts =
            charted && !answer.insight.kind.isOrdered
            ? [BarChartView(answer, table: table, anchor: tile.anchor)] : []
        dataTables = heats == nil ? [DataTableView(answer, answered: answered)] : []
        hasEvidence = heats == nil
        withheldNotes = Self.withheldNote(table)
        noiseNotes = [answered.basis.noise?.statement].compactMap { $0 }
        basisParts = answered.basis.words
    }

    private static func withheldNote(_ table: AnswerTable) -> [String] {
        guard table.withheldRows > 0 else { return [] }
        let numbers = table.rows.count == 1 ? "" : " \(table.withheldRows) of \(table.rows.count) numbers here."
        let left =
            table.rest.map { rest in
                let share = "\(Decimals.percent(rest.events, of: rest.whole)) of the events."
                return rest.quantity == nil
                    ? " They leave out \(share)" : " Together they are the whole less the published numbers: \(share)"
            } ?? " How much of the whole that leaves out is unknown."
        return ["\(Withheld.wording).\(numbers)\(left)"]
    }
}

extension Insight.Kind {
    /// Whether its rows follow one another: bands, weeks.
    fileprivate var isOrdered: Bool {
        switch self {
        case .distribution, .retention, .frequency: true
        case .count, .reach, .share, .mean: false
        }
    }
}
