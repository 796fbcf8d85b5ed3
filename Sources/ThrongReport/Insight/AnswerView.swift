package import ThrongPlan

package enum AnswerView: Sendable, Hashable {
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

/// The largest published rows of an answer, and what they leave of the whole.
///
/// A withheld row has no rank: it is of fewer than k devices, or of hardly more.
package struct AnswerRanking: Sendable, Hashable {
    /// The rows that are named, largest first, equal ones in the plan's order.
    package internal(set) var rows: [Ranked]
    /// The number of rows that can occur and are not named, withheld ones among them.
    package let others: Int
    /// The whole less the named rows; nil where nothing is left out, where the whole is withheld or not shown, where so
    /// little is left that it can't be told from nothing, and where numbers do not add up, as devices do not.
    package let rest: Quantity?

    package struct Ranked: Sendable, Hashable {
        /// 1 and one more for every number that is larger beyond the margins of both.
        package let rank: Int
        /// The last rank that margins leave open.
        package let lastRank: Int
        package let row: AnswerRow

        /// "2", and "2 to 4" where margins leave the order open.
        package func place(in locale: Language) -> String {
            let (first, last) = (locale.written("\(rank)"), locale.written("\(lastRank)"))
            return rank == lastRank ? first : locale.span(first, last)
        }
    }

    /// Ranks the published rows of a table and names those of the first so many ranks, and all that margins leave
    /// level with the last of them: a row that is not named is smaller, or withheld.
    ///
    /// - Parameters:
    ///   - order: which rows are larger than which.
    ///   - rest: what some rows leave of the whole.
    init(of table: AnswerTable, top: Int, order: RowOrder, rest: ([Quantity]) -> Quantity?) {
        let published = table.rows.enumerated().compactMap { place, row in
            row.figure.quantity.map { (place: place, row: row, quantity: $0) }
        }
        let sorted = published.sorted { left, right in
            if left.quantity.exceeds(right.quantity) { return true }
            return !right.quantity.exceeds(left.quantity) && left.place < right.place
        }
        let ranked = sorted.lazy.map { entry -> Ranked in
            let larger = published.count { order.lead(of: $0.place, over: entry.place) > Interval.z }
            let smaller = published.count { order.lead(of: entry.place, over: $0.place) > Interval.z }
            return Ranked(rank: 1 + larger, lastRank: published.count - smaller, row: entry.row)
        }
        rows = Array(ranked.prefix { $0.rank <= top })
        others = table.rows.count { $0.figure != .impossible } - rows.count
        self.rest = others > 0 ? rest(rows.compactMap(\.row.figure.quantity)) : nil
    }
}

/// The rows of an answer beside those of an earlier period.
package struct AnswerComparison: Sendable, Hashable {
    /// The earlier period, by its relation to the answer's.
    package let reference: Insight.Reference
    package let period: Period
    /// One a row of the answer's table.
    package let rows: [Compared]

    package struct Compared: Sendable, Hashable {
        package let earlier: Figure
        /// Withheld where either number is; impossible where neither can be anything but zero; absent where there is
        /// no number to compare with.
        package let change: Reported<Change>
    }
}

/// The part of earlier steps' devices that came to one step of a funnel; withheld where either number is.
package struct AnswerStage: Sendable, Hashable {
    /// The part of those that took the step before; nil at the first step.
    package let ofPrevious: Figure?
    /// The part of those that took the first step; nil at the first step.
    package let ofFirst: Figure?

    /// Works out every row's.
    ///
    /// - Parameters:
    ///   - reached: by row, those that came at least so far; the steps run fastest.
    ///   - steps: how many there are.
    ///   - noise: of one row's number over another's; nil where no margin is told.
    package static func all(_ reached: [Figure], steps: Int, noise: (Int, Int) -> QuotientNoise?) -> [AnswerStage] {
        func quotient(_ row: Int, over before: Int) -> Figure {
            guard let part = reached[row].quantity?.amount, let whole = reached[before].quantity?.amount, whole > 0,
                let noise = noise(row, before)
            else { return .withheld }
            return .published(.share(part: part, whole: whole, noise: noise))
        }
        return reached.indices.map { place in
            guard place % steps > 0 else { return AnswerStage(ofPrevious: nil, ofFirst: nil) }
            return AnswerStage(
                ofPrevious: quotient(place, over: place - 1), ofFirst: quotient(place, over: place - place % steps))
        }
    }
}

/// The rows of an answer in one period of a trend.
package struct AnswerPoint: Sendable, Hashable {
    package let period: Period
    /// The least number of devices behind each number; nil where there is no release that can be compared.
    package let threshold: Threshold?
    /// The share of the period's events that its published rows leave out; nil where that is unknown.
    package let withheldShare: Decimals?
    /// One a row of the answer's table.
    package let figures: [Figure]
    /// All rows together; nil where that means nothing or is not shown.
    package var whole: Figure?
}
