public import ThrongPlan
public import ThrongRelease

/// The answer to one insight for one period, computed from a release and nothing else.
public struct InsightAnswer: Sendable, Hashable {
    /// The question.
    public let insight: Insight
    /// What the metric asks, for readers of an insight without an explanation of its own.
    public let question: String
    /// What people read after the numbers: "events", "devices", "share", or a sum's unit.
    public let unit: String
    /// How the reader writes numbers and dates.
    let names: PeriodNames
    /// The buckets that it is confined to.
    public let filters: [AnswerFilter]
    /// What it answers.
    public let outcome: Outcome

    /// Whether there is a release to answer from.
    public enum Outcome: Sendable, Hashable {
        /// There is.
        case answered(Answered)
        /// No release covers this metric, period and grouping: a public fact of the plan and the calendar.
        case absent(Absence)

        /// There is no release.
        public static let notReleased = Outcome.absent(.notReleased)
    }

    /// What a release says to the insight.
    public struct Answered: Sendable, Hashable {
        /// Its digest.
        public let release: ReleaseDigest
        /// What the numbers stand on.
        public let basis: NumberBasis
        /// By which dimensions the rows are split; the histogram is the last.
        public let axes: [AnswerAxis]
        /// The numbers.
        public let table: AnswerTable
        /// As what they are shown.
        public let view: AnswerView
        /// Between which bounds the values of a mean lie; nil for other numbers.
        let clip: ClosedRange<Double>?

        /// What parts are shares of; nil where noise, or devices that are in several parts, keep these from adding up.
        public var shareBase: Figure? { basis.noise == nil && basis.devices != .firsts ? table.whole : nil }
    }

    /// How the reader writes numbers.
    var locale: ReportLocale { names.locale }

    /// Of a sampled number of a group or the whole, where it lies in 19 of 20 cases; nil where numbers are as counted.
    ///
    /// What groups leave of a whole has none: the draw decides which these are.
    public func interval(of quantity: Quantity) -> Interval? {
        answered.flatMap { Interval(of: quantity, basis: $0.basis, clip: $0.clip, kind: insight.kind) }
    }

    /// The answer, where there is one.
    public var answered: Answered? {
        switch outcome {
        case .answered(let answered): answered
        case .absent: nil
        }
    }
}
