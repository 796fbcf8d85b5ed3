package import ThrongPlan

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
        /// 1 and one more for every larger number: equal numbers have one rank. Of numbers with margins, one more for every
        /// number that is larger beyond them.
        package let rank: Int
        /// The last rank that its margin leaves open; of exact numbers the same one.
        package let lastRank: Int
        /// The row.
        package let row: AnswerRow

        /// "2", and "2 to 4" where margins leave the order open.
        package var place: String { rank == lastRank ? "\(rank)" : "\(rank) to \(lastRank)" }
    }

    /// Ranks the published rows of a table and names those of the first so many ranks, all that tie with the last of them
    /// too: whoever is not named is smaller, or withheld.
    ///
    /// - Parameters:
    ///   - order: which rows are larger than which; nil where numbers are exact.
    ///   - rest: what some rows leave of the whole.
    init(of table: AnswerTable, top: Int, order: RowOrder? = nil, rest: ([Quantity]) -> Quantity?) {
        let published = table.rows.enumerated().compactMap { place, row in
            row.figure.quantity.map { (place: place, row: row, quantity: $0) }
        }
        let sorted = published.sorted { left, right in
            if left.quantity.exceeds(right.quantity) { return true }
            return !right.quantity.exceeds(left.quantity) && left.place < right.place
        }
        let ranked = sorted.lazy.map { entry -> Ranked in
            guard let order else {
                let rank = 1 + published.count { $0.quantity.exceeds(entry.quantity) }
                return Ranked(rank: rank, lastRank: rank, row: entry.row)
            }
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
    /// Which one.
    package let reference: Insight.Reference
    /// What it covers.
    package let period: Period
    /// One a row of the answer's table.
    package let rows: [Compared]

    /// One row then and since.
    package struct Compared: Sendable, Hashable {
        /// The number then.
        package let earlier: Figure
        /// How it changed, or why nobody can say: withheld where either number is.
        package let change: Outcome
    }

    /// How a number changed, or why nobody can say.
    package enum Outcome: Sendable, Hashable {
        /// Both numbers are published.
        case published(Change)
        /// Either number is withheld.
        case withheld
        /// Neither can be anything but zero.
        case impossible
        /// There is no number to compare with.
        case absent(Absence)

        /// The change, where there is one.
        package var change: Change? {
            guard case .published(let change) = self else { return nil }
            return change
        }
    }
}

/// How many of the devices at one step of a funnel came from earlier ones: withheld where either number is.
package struct AnswerStage: Sendable, Hashable {
    /// As a part of those that took the step before; nil at the first.
    package let ofPrevious: Figure?
    /// As a part of those that took the first; nil at the first.
    package let ofFirst: Figure?

    /// Works out every row's.
    ///
    /// - Parameters:
    ///   - reached: by row, those that came at least so far; the steps run fastest.
    ///   - steps: how many there are.
    ///   - noise: of one row's number over another's; nil where they are exact.
    package static func all(
        _ reached: [Figure], steps: Int, noise: (Int, Int) -> QuotientNoise?
    ) -> [AnswerStage] {
        func quotient(_ row: Int, over before: Int) -> Figure {
            guard let part = reached[row].quantity?.amount, let whole = reached[before].quantity?.amount, whole > 0
            else { return .withheld }
            return .published(.share(part: part, whole: whole, noise: noise(row, before)))
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
    /// What it covers.
    package let period: Period
    /// How many devices each number stands for; nil where there is no release that can be compared.
    package let threshold: Threshold?
    /// Of the period's whole, what its published rows leave out, in events; nil where that is unknown.
    package let withheldShare: Decimals?
    /// One a row of the answer's table.
    package let figures: [Figure]
}
