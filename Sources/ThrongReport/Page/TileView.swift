internal import ThrongPlan

/// One answer on the first screen that is a single number: the number, and how it changed.
///
/// It is large where it has earlier numbers beside it. What is a breakdown has its numbers in its chart alone.
struct TileView {
    /// `tile`, and `large` where it has earlier numbers.
    private(set) var tileClass = "tile"
    let tileAnchor: String
    let tileHeading: String
    let tileLanguage: String
    let number: String
    let numberUnit: String
    let isNumber: Bool
    let isWithheld: Bool
    /// The words in place of a number that everybody knows not to be there.
    let nothings: [String]
    private(set) var deltas: [DeltaView]
    /// The line of a trend, without words.
    private(set) var sparks: [LineChartView]
    private let asked: Insight

    /// Nil for an answer that is not a single number.
    init?(_ answer: InsightAnswer, anchor: String, language: String) {
        guard let answered = answer.answered, answered.axes.isEmpty, let figure = answered.table.rows.first?.figure
        else { return nil }
        (asked, tileAnchor, tileLanguage, tileHeading) = (answer.insight, anchor, language, answer.insight.title)
        isNumber = figure.quantity != nil
        isWithheld = figure == .withheld
        nothings = [figure.nothing(in: answer.locale)].compactMap { $0 }
        number = figure.quantity.map(answer.text) ?? ""
        numberUnit =
            figure.quantity.map { answer.wording.unit(beside: $0, of: answer.counted, unit: answer.unit) } ?? ""
        switch answered.view {
        case .change(let comparisons): (deltas, sparks) = (comparisons.map { DeltaView(answer, $0, row: 0) }, [])
        case .trend(let points):
            deltas = []
            sparks = [LineChartView(answer, points: points, row: 0, label: nil, anchor: anchor, isSpark: true)]
        case .table, .ranking, .funnel: (deltas, sparks) = ([], [])
        }
        if isLarge { tileClass = "tile large" }
    }

    /// Takes over what another tile of the same number has besides it; false where that asks for another.
    mutating func absorb(_ other: TileView) -> Bool {
        guard (asked.metric, asked.kind) == (other.asked.metric, other.asked.kind), asked.filters == other.asked.filters
        else { return false }
        deltas += other.deltas
        sparks += other.sparks
        if isLarge { tileClass = "tile large" }
        return true
    }

    var isLarge: Bool { !deltas.isEmpty || !sparks.isEmpty }
}

struct DeltaView {
    let deltaText: String
    let deltaAgainst: String
    let deltaPublished: Bool
    let deltaWithheld: Bool
    /// The words in place of a change that everybody knows not to be there.
    let deltaNothings: [String]

    init(_ answer: InsightAnswer, _ comparison: AnswerComparison, row: Int) {
        let then = Moment(comparison, date: answer.names.short(comparison.period))
        deltaAgainst = answer.locale.say(.against, ["kind": then.kind, "date": then.date])
        let outcome = row < comparison.rows.count ? comparison.rows[row].change : .absent(.notReleased)
        deltaText = outcome.change.map(answer.short) ?? ""
        deltaPublished = outcome.change != nil
        deltaWithheld = outcome == .withheld
        deltaNothings = [outcome.nothing(in: answer.locale)].compactMap { $0 }
    }
}
