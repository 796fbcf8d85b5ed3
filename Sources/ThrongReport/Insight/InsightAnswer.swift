package import ThrongPlan
package import ThrongRelease

/// The answer to one insight for one period, computed from a release and nothing else.
package struct InsightAnswer: Sendable, Hashable {
    package let insight: Insight
    /// The question that the metric asks, for readers of an insight without an explanation of its own.
    package let question: String
    /// The word that people read after the numbers: "events", "devices", "share", or a sum's unit.
    package let unit: String
    /// The unit of the bands of its metric's histogram; empty where that has none.
    let bandUnit: String
    /// The calendar and the locale by which periods, numbers and dates are written for the reader.
    package let names: PeriodNames
    /// The buckets that it is confined to.
    package let filters: [AnswerFilter]
    /// The rules by which its dimensions coarsen, which say how readers are told their buckets.
    let rules: [DimensionName: BucketingRule]
    package internal(set) var outcome: Outcome
    /// The comparisons that words on the same page make between numbers: all of them share one chance of error.
    package var comparisons = 0
    /// The words for what is counted where that is not devices.
    package let named: Noun
    /// The sentences that tell it from other measures of the same thing in its report.
    package var likenesses: [String] = []
    /// The notes on the periods of a trend, in their order.
    package var notes: [PeriodNote] = []

    package enum Outcome: Sendable, Hashable {
        /// A release answers.
        case answered(Answered)
        /// No release covers this metric, period and grouping: a public fact of the plan and the calendar.
        case absent(Absence)

        package static let notReleased = Outcome.absent(.notReleased)
    }

    package struct Answered: Sendable, Hashable {
        package let release: ReleaseDigest
        package let basis: NumberBasis
        /// The dimensions by which the rows are split; the histogram is the last.
        package internal(set) var axes: [AnswerAxis]
        package internal(set) var table: AnswerTable
        package internal(set) var view: AnswerView
        /// The bounds of the values of a mean; nil for other numbers.
        package let clip: ClosedRange<Double>?
        /// The lead of the largest number over each row of the table, in standard deviations of their difference. Nil
        /// for the largest row itself and where there is no number; empty for kinds whose rows are not compared.
        package var leads: [Double?] = []
        /// The lead of the largest number over whatever is withheld, in standard deviations.
        package var leadOverWithheld = Double.infinity
        package let aged: [AgedDimension]

        /// The whole that parts are shares of; nil where devices that are in several parts keep these from adding up.
        package var shareBase: Figure? { basis.counts == .devices ? nil : table.whole }

        /// The rows of which any may be the largest, the largest published one first.
        ///
        /// - Parameter comparisons: how many share the chance of error.
        package func leaders(of comparisons: Int) -> [AnswerRow] {
            guard let place = table.largestPlace else { return [] }
            let z = Interval.z(sharedBy: comparisons)
            return [table.rows[place]] + zip(table.rows, leads).filter { $1.map { $0 <= z } ?? false }.map(\.0)
        }
    }

    /// The comparisons that its own words make.
    var ownComparisons: Int {
        guard let answered else { return 0 }
        if case .funnel(let stages) = answered.view {
            // An undivided one is asked for its worst step, where it has two or more to choose from.
            return answered.axes.count == 1 ? (stages.count > 2 ? 1 : 0) : max(funnelReaches(answered).count - 1, 0)
        }
        let rows = answered.leads.count { $0 != nil } + (answered.leadOverWithheld.isFinite ? 1 : 0)
        return switch answered.view {
        case .change(let comparisons): comparisons.reduce(rows) { $0 + $1.rows.count { $0.change.change != nil } }
        case .trend(let points): rows + courses(over: points, answered).count
        case .table, .ranking, .funnel: rows
        }
    }

    /// The rows of which any may be the largest: one, unless noise may have decided.
    package func leaders(_ answered: Answered) -> [AnswerRow] { answered.leaders(of: comparisons) }

    /// True if noise, or the draw of a sample, may have made a change.
    package func isWithinChance(_ change: Change) -> Bool { change.isWithinChance(of: comparisons) }

    /// The locale in which the reader's numbers are written.
    package var locale: Language { names.locale }

    /// Returns the interval that holds a number of a sample, of devices or of a quotient in 19 of 20 cases; nil for
    /// other numbers.
    ///
    /// A number that groups leave of a whole has none: the draw decides which groups these are.
    package func interval(of quantity: Quantity) -> Interval? {
        answered.flatMap { Interval(of: quantity, basis: $0.basis, clip: $0.clip, kind: insight.kind) }
    }

    package var answered: Answered? {
        switch outcome {
        case .answered(let answered): answered
        case .absent: nil
        }
    }
}

/// A dimension by which an insight asks, and age has left no numbers.
package struct AgedDimension: Sendable, Hashable {
    package let name: DimensionName
    package let title: String
    /// The coarser one by which the numbers are shown instead; nil where they are not split.
    package let now: AnswerAxis?
}

package struct AnswerAxis: Sendable, Hashable {
    /// The dimension's name: a column of the CSV.
    package let name: DimensionName
    package let title: String
    /// Its buckets in the plan's order.
    package let labels: [BucketLabel]
}

package struct AnswerFilter: Sendable, Hashable {
    package let dimension: DimensionName
    package let title: String
    package let bucket: BucketLabel
}

/// The calendar and the locale by which a report names periods and writes numbers.
package struct PeriodNames: Sendable, Hashable {
    package let calendar: PeriodCalendar
    package let locale: Language

    /// "Saturday, 21 November 2026".
    package func long(_ period: Period) -> String { calendar.title(of: period, in: locale) }
    /// "21 Nov".
    package func short(_ period: Period) -> String { calendar.shortTitle(of: period, in: locale) }
    /// "21 November 2026, 14:05".
    package func instant(_ time: UnixSeconds) -> String { calendar.instantTitle(of: time, in: locale) }
    /// "2026-11-21".
    package func label(_ period: Period) -> String { calendar.label(of: period) }
}

/// A note on one period of a trend.
package struct PeriodNote: Sendable, Hashable {
    package let period: Period
    /// The words, which say the date.
    package let words: String
}
