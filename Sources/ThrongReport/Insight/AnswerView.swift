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

package struct AnswerTable: Sendable, Hashable {
    /// Every combination of the axes' buckets in the plan's order, the last axis running fastest.
    ///
    /// Withheld rows stand in their places like all others: neither order nor absence tells anything about a number.
    package let rows: [AnswerRow]
    /// The same number without the breakdown; nil where that means nothing or the release does not show it at all,
    /// which both are facts of the plan.
    package let whole: Figure?
    /// The rest of the whole beside the published rows; nil where the whole is withheld or not shown.
    package let rest: AnswerRest?

    package var withheldRows: Int { rows.count { $0.figure == .withheld } }

    /// True if the table is a breakdown of which nothing is published.
    package var isLeftOut: Bool {
        rows.count > 1 && withheldRows > 0 && rows.allSatisfy { $0.figure == .withheld || $0.figure == .impossible }
    }
}

/// One row of an answer: a bucket of each axis and its number.
package struct AnswerRow: Sendable, Hashable {
    package let buckets: [BucketLabel]
    package let figure: Figure
}

/// The total of an answer's withheld rows: the whole less the published rows.
///
/// It is computed from published numbers alone. It is told where it is k or more and more than the whole's margin:
/// what is less can't be told from nothing.
package struct AnswerRest: Sendable, Hashable {
    /// The whole's events less those of the published rows. Unit: events.
    let events: Int64
    /// The whole; above 0. Unit: events.
    package let whole: Int64
    /// The rest in the answer's own terms, for a line of its own; nil where no row is withheld, where the rest is not
    /// told, and where numbers do not add up, because they are quotients or devices that are in several rows.
    package let quantity: Quantity?
    /// True if rows are withheld that hold too little to be told from nothing.
    package let isTooLittle: Bool

    /// Creates the rest of a whole.
    ///
    /// - Parameters:
    ///   - hasWithheld: whether the whole has parts that are withheld.
    ///   - isTold: whether so many can be told from none.
    package init(events: Int64, whole: Int64, quantity: Quantity?, hasWithheld: Bool, isTold: Bool) {
        (self.events, self.whole) = (events, whole)
        isTooLittle = hasWithheld && !isTold
        self.quantity = isTold ? quantity : nil
    }

    /// The number of events; nil where it can't be told from none.
    package var known: Int64? { isTooLittle ? nil : events }

    /// The share of the whole's events as a fraction of 1, as CSV and JSON have it; nil where it is not told from none.
    package var share: Decimals? { known.map { Decimals($0, over: whole, places: Quantity.sharePlaces) } }
}

extension Quantity {
    /// Returns the number less some of its parts; nil where the parts are more, and for quotients, which do not add up.
    package func without(_ parts: [Quantity]) -> Quantity? {
        let amounts = parts.compactMap(\.amount)
        guard let amount, amounts.count == parts.count,
            let left = Int64(exactly: amounts.reduce(Int128(amount)) { $0 - Int128($1) }), left >= 0
        else { return nil }
        switch self {
        case .drawn(_, let counts, _): return .drawn(left, of: counts)
        case .estimate(let whole): return .estimate(Estimate(counted: left, rate: whole.rate, counts: whole.counts))
        case .share, .settled, .mean, .quantile: return nil
        }
    }
}

/// The order of an answer's rows by size: noise decides the order of numbers that lie close.
struct RowOrder {
    /// One a row; nil where none is published.
    let quantities: [Quantity?]
    /// The compared numbers with their noise, where all rows count the same: the distance of two is exact. Nil
    /// elsewhere.
    let numbers: [DrawnNumber?]
    /// The interval of a row that is computed; the intervals of two rows are combined.
    let interval: (Quantity) -> Interval?

    /// Returns the lead of one row over another, in standard deviations; 0 where that can't be told, and less than 0
    /// where it is behind.
    func lead(of row: Int, over other: Int) -> Double {
        guard let mine = quantities[row], let its = quantities[other] else { return 0 }
        if let own = numbers[row], let theirs = numbers[other], let gap = Self.gap(mine, its) {
            let variance = own.variance + theirs.variance - 2 * own.covariance(with: theirs)
            return variance > 0 ? gap / variance.squareRoot() : gap == 0 ? 0 : gap * .infinity
        }
        guard let above = interval(mine), let below = interval(its) else { return 0 }
        let gap = mine.approximate - its.approximate
        let apart = Interval.difference((mine.approximate, above), (its.approximate, below), places: 9).ends
        let side = gap > 0 ? gap - apart.low : apart.high - gap
        return side > 0 && side.isFinite ? gap / side * Interval.z : 0
    }

    /// Returns the lead of the largest row over each row, in standard deviations; nil for itself and where no number is
    /// published.
    func leads(of largest: Int) -> [Double?] {
        quantities.indices.map { row in row == largest || quantities[row] == nil ? nil : lead(of: largest, over: row) }
    }

    /// Returns the lead of one row over some others together, in standard deviations; 0 where that can't be told.
    ///
    /// However their noise hangs together, its standard deviation is at most the sum of theirs.
    func lead(of row: Int, overSumOf others: [Int], drawnAs sum: Int64) -> Double {
        guard let own = numbers[row], let mine = quantities[row], let largest = mine.amount ?? mine.fraction?.numerator
        else { return 0 }
        let spread = ([own] + others.compactMap { numbers[$0] }).reduce(0) { $0 + $1.variance.squareRoot() }
        return Double(largest - sum) / max(spread, 1e-9)
    }

    /// Returns the difference between two numbers, or between two shares of one whole; nil for others.
    private static func gap(_ one: Quantity, _ other: Quantity) -> Double? {
        if let mine = one.amount, let its = other.amount { return Double(mine) - Double(its) }
        guard let mine = one.fraction, let its = other.fraction, mine.denominator == its.denominator else { return nil }
        return Double(mine.numerator) - Double(its.numerator)
    }
}
