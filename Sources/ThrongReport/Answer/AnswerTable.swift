/// The numbers of one answer.
public struct AnswerTable: Sendable, Hashable {
    /// Every combination of the axes' buckets in the plan's order, the last axis running fastest.
    ///
    /// Withheld rows stand in their places like all others: neither order nor absence tells anything about a number.
    public let rows: [AnswerRow]
    /// The same number without the breakdown; nil where that means nothing or the release does not show it at all,
    /// which both are facts of the plan.
    public let whole: Figure?
    /// How much of the whole the published rows leave out, by events.
    public let withheldShare: WithheldShare

    /// Puts a table together.
    public init(rows: [AnswerRow], whole: Figure?, withheldShare: WithheldShare) {
        self.rows = rows
        self.whole = whole
        self.withheldShare = withheldShare
    }

    /// How many rows are withheld.
    public var withheldRows: Int { rows.count { $0.figure == .withheld } }
}
