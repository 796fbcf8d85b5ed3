package import ThrongPlan

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
        guard var left = amount else { return nil }
        for part in parts {
            guard let amount = part.amount else { return nil }
            let (difference, overflow) = left.subtractingReportingOverflow(amount)
            guard !overflow else { return nil }
            left = difference
        }
        guard left >= 0 else { return nil }
        switch self {
        case .drawn(_, let counts, _): return .drawn(left, of: counts)
        case .estimate(let whole): return .estimate(Estimate(counted: left, rate: whole.rate, counts: whole.counts))
        case .share, .settled, .mean, .quantile: return nil
        }
    }
}
