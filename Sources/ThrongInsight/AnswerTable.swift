package import ThrongPlan

/// The numbers of one answer.
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

    /// Puts a table together.
    package init(rows: [AnswerRow], whole: Figure?, rest: AnswerRest?) {
        self.rows = rows
        self.whole = whole
        self.rest = rest
    }

    /// How many rows are withheld.
    package var withheldRows: Int { rows.count { $0.figure == .withheld } }

    /// Whether it is a breakdown of which nothing is published.
    package var isLeftOut: Bool {
        rows.count > 1 && withheldRows > 0 && rows.allSatisfy { $0.figure == .withheld || $0.figure == .impossible }
    }
}

/// One row of an answer: a bucket of each axis and its number.
package struct AnswerRow: Sendable, Hashable {
    /// One bucket an axis.
    package let buckets: [BucketLabel]
    /// The number.
    package let figure: Figure

    /// Puts a row together.
    package init(buckets: [BucketLabel], figure: Figure) {
        self.buckets = buckets
        self.figure = figure
    }
}

/// What an answer's withheld rows hold together: the published whole less the published rows.
///
/// It is computed from published numbers alone, so it tells nothing that they do not: which of these rows are small,
/// which are hidden for a neighbour's sake and which are empty stays unknown. Under k events it is not told from none: a
/// line that says 0 would say of each of its rows that it is empty.
package struct AnswerRest: Sendable, Hashable {
    /// What the published rows leave of the whole. Unit: events.
    private let events: Int64
    /// The whole; above 0. Unit: events.
    package let whole: Int64
    /// The same in the answer's own terms, for a line of its own; nil where no row is withheld, where the rest is under k,
    /// and where parts do not add up, because devices are in several of them.
    package let quantity: Quantity?
    /// k, where rows are withheld that hold fewer events, or none; nil where they hold as many, and where no row is
    /// withheld.
    package let fewerThan: Threshold?

    /// Puts a rest together.
    ///
    /// - Parameters:
    ///   - hasWithheld: whether the whole has parts that are withheld.
    ///   - threshold: k of the release; the largest of several.
    package init(events: Int64, whole: Int64, quantity: Quantity?, hasWithheld: Bool, threshold: Threshold) {
        self.events = events
        self.whole = whole
        fewerThan = hasWithheld && !threshold.isReached(by: events) ? threshold : nil
        self.quantity = fewerThan == nil ? quantity?.standing(for: threshold) : nil
    }

    /// How many events it is; nil where that is not told from none.
    package var known: Int64? { fewerThan == nil ? events : nil }

    /// The share of the whole's events as a fraction of 1, as CSV and JSON have it; nil where it is not told from none.
    package var share: Decimals? { known.map { Decimals($0, over: whole, places: Quantity.sharePlaces) } }
}

extension Quantity {
    /// What is left of a whole without some of its parts; nil where nothing is, or where they do not add up to it.
    ///
    /// - Parameter shareOfWhole: whether the parts are shares of the whole, and not each of a whole of its own.
    package func without(_ parts: [Quantity], shareOfWhole: Bool) -> Quantity? {
        var left = terms
        for part in parts {
            for (place, term) in part.terms.enumerated() where place == 0 || !shareOfWhole {
                let (difference, overflow) = left[place].subtractingReportingOverflow(term)
                guard !overflow else { return nil }
                left[place] = difference
            }
        }
        switch self {
        case .events:
            return left[0] >= 0 ? .events(left[0]) : nil
        case .devices:
            return nil
        case .said:
            return left[0] >= 0 ? .said(left[0]) : nil
        case .identifiers:
            return left[0] >= 0 ? .identifiers(left[0]) : nil
        case .drawn(_, let counts, _):
            return left[0] >= 0 ? .drawn(left[0], of: counts) : nil
        case .share, .settled:
            return left[1] > 0 && (0...left[1]).contains(left[0]) ? .share(part: left[0], whole: left[1]) : nil
        case .mean(_, let decimals, _, _):
            return left[1] > 0 ? .mean(sum: left[0], decimals: decimals, events: left[1]) : nil
        case .estimate(let whole):
            return left[0] >= 0 ? .estimate(Estimate(counted: left[0], rate: whole.rate, counts: whole.counts)) : nil
        case .quantile:
            return nil
        }
    }

    /// The same as a line of its own; nil where it stands for fewer than k, or for none.
    package func standing(for threshold: Threshold) -> Quantity? {
        let least: Int64 =
            switch self {
            case .events(let number), .devices(let number), .said(let number), .identifiers(let number),
                .drawn(let number, of: _, within: _):
                number
            case .share(let part, let whole, _), .settled(let part, let whole): min(part, whole)
            case .mean(_, _, let events, _): events
            case .estimate(let estimate): estimate.counted
            case .quantile: .max
            }
        return threshold.isReached(by: least) ? self : nil
    }

    /// What adds up: the number, or numerator and denominator.
    private var terms: [Int64] {
        switch self {
        case .events(let number), .devices(let number), .said(let number), .identifiers(let number),
            .drawn(let number, of: _, within: _):
            [number]
        case .share(let part, let whole, _), .settled(let part, let whole): [part, whole]
        case .mean(let sum, _, let events, _): [sum, events]
        case .estimate(let estimate): [estimate.counted]
        case .quantile: []
        }
    }
}
