/// The numbers of one answer.
package struct AnswerTable: Sendable, Hashable {
    /// Every combination of the axes' buckets in the plan's order, the last axis running fastest.
    ///
    /// Withheld rows stand in their places like all others: neither order nor absence tells anything about a number.
    package let rows: [AnswerRow]
    /// The same number without the breakdown; nil where that means nothing or the release does not show it at all,
    /// which both are facts of the plan.
    package let whole: Figure?
    /// What the published rows leave of the whole; nil where the whole is withheld, not shown, or noisy.
    package let rest: AnswerRest?

    /// Puts a table together.
    package init(rows: [AnswerRow], whole: Figure?, rest: AnswerRest?) {
        self.rows = rows
        self.whole = whole
        self.rest = rest
    }

    /// How many rows are withheld.
    package var withheldRows: Int { rows.count { $0.figure == .withheld } }
}
