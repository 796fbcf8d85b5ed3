package import ThrongPlan
package import ThrongRelease

/// The answer to one insight for one period, computed from a release and nothing else.
package struct InsightAnswer: Sendable, Hashable {
    /// The question.
    package let insight: Insight
    /// What the metric asks, for readers of an insight without an explanation of its own.
    package let question: String
    /// What people read after the numbers: "events", "devices", "share", or a sum's unit.
    package let unit: String
    /// How the reader writes numbers and dates.
    package let names: PeriodNames
    /// The buckets that it is confined to.
    package let filters: [AnswerFilter]
    /// What it answers.
    package let outcome: Outcome
    /// The comparisons that words on the same page make between numbers with margins: all of them share one chance of error.
    package var comparisons = 0

    /// Whether there is a release to answer from.
    package enum Outcome: Sendable, Hashable {
        /// There is.
        case answered(Answered)
        /// No release covers this metric, period and grouping: a public fact of the plan and the calendar.
        case absent(Absence)

        /// There is no release.
        package static let notReleased = Outcome.absent(.notReleased)
    }

    /// What a release says to the insight.
    package struct Answered: Sendable, Hashable {
        /// Its digest.
        package let release: ReleaseDigest
        /// What the numbers stand on.
        package let basis: NumberBasis
        /// By which dimensions the rows are split; the histogram is the last.
        package let axes: [AnswerAxis]
        /// The numbers.
        package let table: AnswerTable
        /// As what they are shown.
        package let view: AnswerView
        /// Between which bounds the values of a mean lie; nil for other numbers.
        package let clip: ClosedRange<Double>?
        /// By row of the table, by how many standard deviations of their difference the largest number is ahead of it; nil
        /// for that one itself and where there is no number. Empty where numbers are exact.
        package var leads: [Double?] = []
        /// Dimensions of the question by which numbers are not kept any more.
        package let aged: [AgedDimension]

        /// The whole that parts are shares of; nil where devices that are in several parts keep these from adding up.
        package var shareBase: Figure? {
            let areDevices = basis.counts == .devices && (basis.margin != nil || basis.devices == .firsts)
            return areDevices ? nil : table.whole
        }

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
        guard let answered, answered.basis.margin != nil else { return 0 }
        if case .funnel = answered.view { return max(funnelReaches(answered).count - 1, 0) }
        let rows = answered.leads.count { $0 != nil }
        guard case .change(let comparisons) = answered.view else { return rows }
        return comparisons.reduce(rows) { $0 + $1.rows.count { $0.change.change != nil } }
    }

    /// The rows of which any may be the largest: one, unless noise may have decided.
    package func leaders(_ answered: Answered) -> [AnswerRow] { answered.leaders(of: comparisons) }

    /// Whether noise, or the draw of a sample, may have made a change.
    package func isWithinChance(_ change: Change) -> Bool {
        change.isWithinChance(of: answered?.basis.margin == nil ? 1 : comparisons)
    }

    /// How the reader writes numbers.
    package var locale: ReportLocale { names.locale }

    /// Of a number of a group or the whole that is sampled or a quotient of numbers with margins, where it lies in 19 of 20
    /// cases; nil for others.
    ///
    /// What groups leave of a whole has none: the draw decides which these are.
    package func interval(of quantity: Quantity) -> Interval? {
        answered.flatMap { Interval(of: quantity, basis: $0.basis, clip: $0.clip, kind: insight.kind) }
    }

    /// The answer, where there is one.
    package var answered: Answered? {
        switch outcome {
        case .answered(let answered): answered
        case .absent: nil
        }
    }
}

/// A dimension by which an insight asks, and age has left no numbers.
package struct AgedDimension: Sendable, Hashable {
    /// The dimension's name.
    package let name: DimensionName
    /// What people call it.
    package let title: String
    /// The coarser one by which the numbers are shown instead; nil where they are not split.
    package let now: AnswerAxis?
}

/// One dimension by which an answer is broken down.
package struct AnswerAxis: Sendable, Hashable {
    /// The dimension's name: a column of the CSV.
    package let name: DimensionName
    /// What people read above the column.
    package let title: String
    /// Its buckets in the plan's order.
    package let labels: [BucketLabel]

    /// Puts an axis together.
    package init(name: DimensionName, title: String, labels: [BucketLabel]) {
        self.name = name
        self.title = title
        self.labels = labels
    }
}

/// One bucket that an answer is confined to, with the words for it.
package struct AnswerFilter: Sendable, Hashable {
    /// The dimension's name.
    package let dimension: DimensionName
    /// What people call the dimension.
    package let title: String
    /// The bucket.
    package let bucket: BucketLabel

    /// Puts a filter together.
    package init(dimension: DimensionName, title: String, bucket: BucketLabel) {
        self.dimension = dimension
        self.title = title
        self.bucket = bucket
    }
}

/// What a report calls periods, and how it writes numbers.
package struct PeriodNames: Sendable, Hashable {
    /// The app's.
    package let calendar: PeriodCalendar
    /// The reader's.
    package let locale: ReportLocale

    package init(calendar: PeriodCalendar, locale: ReportLocale) {
        self.calendar = calendar
        self.locale = locale
    }

    /// "Saturday, 21 November 2026".
    package func long(_ period: Period) -> String { calendar.title(of: period, in: locale) }
    /// "21 Nov".
    package func short(_ period: Period) -> String { calendar.shortTitle(of: period, in: locale) }
    /// "21 November 2026, 14:05".
    package func instant(_ time: UnixSeconds) -> String { calendar.instantTitle(of: time, in: locale) }
    /// "2026-11-21".
    package func label(_ period: Period) -> String { calendar.label(of: period) }
}
