/// As what an answer is shown.
public enum AnswerView: Sendable, Hashable {
    /// Its table as it is.
    case table
    /// The largest rows, the others together.
    case ranking(AnswerRanking)
    /// Each row beside itself in earlier periods, one comparison a period.
    case change([AnswerComparison])
    /// The rows over some periods, the report's own last.
    case trend([AnswerPoint])
}
