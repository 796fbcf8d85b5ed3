/// The largest published rows of an answer, and what they leave of the whole.
///
/// A withheld row has no rank, and nothing tells whether it would have one: it may be larger than every row that is named.
package struct AnswerRanking: Sendable, Hashable {
    /// The rows that are named, largest first, equal ones in the plan's order.
    package let rows: [Ranked]
    /// Of those that are not named and can occur, how many there are, withheld ones among them.
    package let others: Int
    /// The whole less the named rows; nil where nothing is left out, where the whole is withheld or not shown, and where
    /// parts do not add up, as devices do not.
    package let rest: Quantity?

    /// One row with its rank.
    package struct Ranked: Sendable, Hashable {
        /// 1 and one more for every larger number: equal numbers have one rank.
        package let rank: Int
        /// The row.
        package let row: AnswerRow
    }

    /// Ranks the published rows of a table and names those of the first so many ranks, all that tie with the last of them
    /// too: whoever is not named is smaller, or withheld.
    ///
    /// - Parameter rest: what some rows leave of the whole.
    package init(of table: AnswerTable, top: Int, rest: ([Quantity]) -> Quantity?) {
        let published = table.rows.enumerated().compactMap { place, row in
            row.figure.quantity.map { (place: place, row: row, quantity: $0) }
        }
        let sorted = published.sorted { left, right in
            if left.quantity.exceeds(right.quantity) { return true }
            return !right.quantity.exceeds(left.quantity) && left.place < right.place
        }
        let ranked = sorted.lazy.map { entry in
            Ranked(rank: 1 + published.count { $0.quantity.exceeds(entry.quantity) }, row: entry.row)
        }
        rows = Array(ranked.prefix { $0.rank <= top })
        others = table.rows.count { $0.figure != .impossible } - rows.count
        self.rest = others > 0 ? rest(rows.compactMap(\.row.figure.quantity)) : nil
    }
}
