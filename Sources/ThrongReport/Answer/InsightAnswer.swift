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
    /// The buckets that it is confined to.
    public let filters: [AnswerFilter]
    /// What it answers.
    public let outcome: Outcome

    /// Whether there is a release to answer from.
    public enum Outcome: Sendable, Hashable {
        /// There is.
        case answered(Answered)
        /// No release covers this metric, period and grouping: a public fact of the plan and the calendar.
        case notReleased
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

        /// What parts are shares of; nil where noise, or devices that are in several parts, keep these from adding up.
        public var shareBase: Figure? { basis.noise == nil && basis.devices != .firsts ? table.whole : nil }
    }

    /// The answer, where there is one.
    public var answered: Answered? {
        switch outcome {
        case .answered(let answered): answered
        case .notReleased: nil
        }
    }
}
