package import ThrongPlan
package import ThrongRelease

/// The answer to one insight for one period, computed from a release and nothing else.
package struct InsightAnswer: Sendable, Hashable {
    package let insight: Insight
    /// The question that the metric asks, for readers of an insight without an explanation of its own.
    package let question: String
    /// The word that people read after the numbers: "events", "devices", "share", or a sum's unit.
    package let unit: String
    /// The title of the sum whose mean it is; nil where that has none.
    let sumTitle: String?
    /// The unit of the bands of its metric's histogram; empty where that has none.
    let bandUnit: String
    /// The calendar and the locale by which periods, numbers and dates are written for the reader.
    package let names: PeriodNames
    /// The buckets that it is confined to.
    package let filters: [AnswerFilter]
    /// The dimensions by which readers are told its buckets.
    let telling: [DimensionName: Dimension]
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

extension InsightAnswer {
    /// Answers an insight from releases of its metric; nil stands for "there is none".
    ///
    /// A quotient or a change of which either number is withheld is withheld.
    ///
    /// - Parameter isNamed: whether the plan named the reader when it was counted; otherwise nothing is answered.
    /// - Complexity: O(rows × periods × log of a release's cells).
    package init(
        to asked: Insight, plan: Plan, period: Period, history: ReleaseHistory?, locale: Language = .english,
        isNamed: Bool = true
    ) {
        // Age may have taken a part of the question: that is said, and the rest is answered.
        let history = isNamed ? history : nil
        let coarsened = history.flatMap { asked.coarsened(to: $0.current, plan: plan) }
        let insight = coarsened?.insight ?? asked
        let metric = plan.metric(insight.metric)
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let title = plan.titles(for: insight, in: locale)
        self.insight = insight
        telling = plan.tellingDimensions(of: metric)
        names = PeriodNames(calendar: calendar, locale: locale)
        question = metric?.question ?? ""
        let isWithin = history.map { $0.current.header.layout.within != nil } ?? (metric?.within != nil)
        unit = insight.unit(of: metric, isWithin: isWithin)
        sumTitle = if case .mean(let sum) = insight.kind { metric?.sumTitles[sum] } else { nil }
        bandUnit = metric?.histogram?.unit ?? ""
        let usual: Message = isWithin ? .visit : metric?.answered == nil ? .action : .device
        named =
            metric?.noun ?? Noun(one: locale.say(usual, ["count": 1]), many: locale.say(usual, ["count": Noun.several]))
        filters = insight.filters.map {
            AnswerFilter(dimension: $0.dimension, title: title($0.dimension), bucket: $0.bucket)
        }
        guard let history, let source = AnswerSource(of: insight, plan: plan, history: history) else {
            let isOver = metric.map { calendar.midnight(of: $0.expires) <= period.start } ?? false
            let isAged = history.map { insight.isAged(in: $0.current, plan: plan) } ?? false
            outcome = .absent(!isNamed ? .unnamed : history == nil && isOver ? .expired : isAged ? .aged : .notReleased)
            return
        }
        outcome = .answered(source.answered(for: period, in: names, aged: coarsened?.aged ?? [], title: title))
        comparisons = ownComparisons
    }
}

extension Plan {
    fileprivate func titles(for insight: Insight, in locale: Language) -> (DimensionName) -> String {
        let telling = tellingDimensions(of: metric(insight.metric))
        return { name in
            // A row of a funnel holds those that came to its step or further.
            insight.kind == .funnel(step: name) ? locale.say(.headStep) : telling[name]?.title ?? name.text
        }
    }
}

extension Insight {
    /// Returns the word that people read after the numbers.
    ///
    /// - Parameter isWithin: true if the metric counts identifiers by what they did within a window.
    fileprivate func unit(of metric: Metric?, isWithin: Bool) -> String {
        switch kind {
        case .count where isWithin, .frequency where isWithin, .funnel: Counted.identifiers.rawValue
        case .count, .distribution: "events"
        case .reach, .frequency: "devices"
        case .share, .retention: "share"
        case .mean(let sum): metric?.sums.first { $0.name == sum }?.unit ?? ""
        case .quantiles: metric?.histogram?.unit ?? ""
        }
    }
}

extension AnswerAxis {
    /// The axis of quantiles, which no dimension of a plan is.
    package init(quantiles: [Quantile], in locale: Language) {
        let title = locale.say(.headQuantile)
        self.init(name: "quantile", title: title, labels: quantiles.map { BucketLabel("\($0)") })
    }
}

extension AnswerComparison {
    package init(
        of now: [Figure], with then: [Figure], reference: Insight.Reference, period: Period, isSameQuestion: Bool,
        interval: (Quantity) -> Interval?
    ) {
        (self.reference, self.period) = (reference, period)
        rows = zip(now, then).map { now, then in
            Compared(
                earlier: then,
                change: Self.outcome(from: then, to: now) {
                    Change(from: $0, to: $1, isSameQuestion: isSameQuestion, interval: interval)
                })
        }
    }

    private static func outcome(
        from then: Figure, to now: Figure, change: (Quantity, Quantity) -> Change?
    ) -> Reported<Change> {
        switch (then, now) {
        case (.published(let earlier), .published(let later)):
            return change(earlier, later).map { .published($0) } ?? .withheld
        case (.absent(let absence), _), (_, .absent(let absence)): return .absent(absence)
        case (.withheld, _), (_, .withheld): return .withheld
        case (.impossible, _), (_, .impossible): return .impossible
        }
    }
}

extension Insight.Kind {
    /// True if words say which of its rows is the largest.
    var isCompared: Bool {
        switch self {
        case .count, .reach, .share, .mean, .distribution, .frequency: true
        case .quantiles, .retention, .funnel: false
        }
    }

    /// The things that the numbers count: events or devices.
    package var counts: Insight.Basis {
        switch self {
        case .count, .mean, .distribution, .quantiles, .retention, .frequency: .events
        case .reach, .funnel: .devices
        case .share(let basis, _): basis
        }
    }

    /// Returns the evidence that numbers are numbers of devices; nil where they are not.
    package func deviceBasis(_ header: ReleaseHeader) -> NumberBasis.Devices? {
        switch self {
        case .retention: .answers
        case .frequency where header.layout.within == nil: .answers
        case .count, .mean, .distribution, .quantiles, .frequency, .funnel, .share(of: .events, part: _): nil
        case .reach, .share(of: .devices, part: _): header.hasFirsts ? .firsts : header.provesFirsts ? .proved : .window
        }
    }
}
