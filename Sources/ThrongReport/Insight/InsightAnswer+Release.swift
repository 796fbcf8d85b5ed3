package import ThrongPlan
package import ThrongRelease

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
        let dimensions = metric.map { plan.cubeDimensions(of: $0) } ?? []
        rules = Dictionary(dimensions.map { ($0.name, $0.rule) }) { first, _ in first }
        names = PeriodNames(calendar: calendar, locale: locale)
        question = metric?.question ?? ""
        let isWithin = history.map { $0.current.header.layout.within != nil } ?? (metric?.within != nil)
        unit = insight.unit(of: metric, isWithin: isWithin)
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
        let dimensions = metric(insight.metric).map { cubeDimensions(of: $0) } ?? []
        return { name in
            // A row of a funnel holds those that came to its step or further.
            if insight.kind == .funnel(step: name) { return locale.say(.headStep) }
            return dimensions.first { $0.name == name }?.title ?? derivedDimension(name)?.title ?? name.text
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
