/// How an answer is shown.
package enum AnswerView: Sendable, Hashable {
    /// Its table as it is.
    case table
    /// The largest rows, the others together.
    case ranking(AnswerRanking)
    /// Each row beside itself in earlier periods, one comparison a period.
    case change([AnswerComparison])
    /// The steps of a funnel, each beside what part of those before it came so far: one a row.
    case funnel([AnswerStage])
    /// The rows over some periods, the report's own last.
    case trend([AnswerPoint])
}
