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
        to asked: Insight, plan: Plan, period: Period, history: ReleaseHistory?, locale: ReportLocale = .english,
        isNamed: Bool = true
    ) {
        // Age may have taken a part of the question: that is said, and the rest is answered.
        let history = isNamed ? history : nil
        let coarsened = history.flatMap { asked.coarsened(to: $0.current, plan: plan) }
        let insight = coarsened?.insight ?? asked
        let metric = plan.metric(insight.metric)
        let dimensions = metric.map { plan.cubeDimensions(of: $0) } ?? []
        func title(_ name: DimensionName) -> String {
            // A row of a funnel holds those that came to its step or further.
            if insight.kind == .funnel(step: name) { return "Step" }
            return dimensions.first { $0.name == name }?.title ?? plan.derivedDimension(name)?.title ?? name.text
        }
        self.insight = insight
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        names = PeriodNames(calendar: calendar, locale: locale)
        question = metric?.question ?? ""
        let isWithin = history.map { $0.current.header.layout.within != nil } ?? (metric?.within != nil)
        unit =
            switch insight.kind {
            case .count where isWithin, .frequency where isWithin, .funnel: Counted.identifiers.rawValue
            case .count, .distribution: "events"
            case .reach, .frequency: "devices"
            case .share, .retention: "share"
            case .mean(let sum): metric?.sums.first { $0.name == sum }?.unit ?? ""
            case .quantiles: metric?.histogram?.unit ?? ""
            }
        filters = insight.filters.map {
            AnswerFilter(dimension: $0.dimension, title: title($0.dimension), bucket: $0.bucket)
        }
        guard let history,
            let reading = InsightReading(of: insight, plan: plan, release: history.current),
            let margin = NumberMargin(
                history.current.header, groupings: reading.groupings, kind: insight.kind, rows: reading.table.rows)
        else {
            let isOver = metric.map { calendar.midnight(of: $0.expires) <= period.start } ?? false
            let isAged = history.map { insight.isAged(in: $0.current, plan: plan) } ?? false
            outcome = .absent(
                !isNamed ? .unnamed : history == nil && isOver ? .expired : isAged ? .aged : .notReleased)
            return
        }
        let header = history.current.header
        let sum = header.layout.sums.first { insight.kind == .mean(sum: $0.name) }
        let clip = sum.map { $0.lowest...$0.highest }
        let basis = NumberBasis(
            counts: Counted(by: insight.kind, isWithin: isWithin),
            threshold: header.threshold,
            sampling: header.sampling,
            rotation: header.layout.rotation,
            margin: margin,
            devices: insight.kind.deviceBasis(header),
            hasIdentifiers: header.layout.hasIdentifiers,
            floor: header.layout.floor)
        let table = reading.table
        func interval(_ quantity: Quantity) -> Interval? {
            Interval(of: quantity, basis: basis, clip: clip, kind: insight.kind)
        }
        let order = reading.order(of: table, interval: interval)
        var axes = zip(reading.axes, reading.shown).map { axis, buckets in
            AnswerAxis(name: axis.name, title: title(axis.name), labels: buckets.map { axis.labels[$0] })
        }
        if case .quantiles(let quantiles) = insight.kind { axes.append(AnswerAxis(quantiles: quantiles)) }
        func point(_ period: Period) -> AnswerPoint {
            let (release, absence) = history.release(of: period, for: insight)
            guard let release, let reading = InsightReading(of: insight, plan: plan, release: release) else {
                let isAged = release.map { insight.isAged(in: $0, plan: plan) } ?? false
                return AnswerPoint(
                    period: period, threshold: nil, withheldShare: nil,
                    figures: table.rows.map { _ in .absent(isAged ? .aged : absence) })
            }
            let then = reading.table
            let figures = Dictionary(then.rows.map { ($0.buckets, $0.figure) }) { first, _ in first }
            return AnswerPoint(
                period: period, threshold: release.header.threshold, withheldShare: then.rest?.share,
                // A bucket that was learned since has no number of that time.
                figures: table.rows.map { figures[$0.buckets] ?? .absent(.notReleased) })
        }
        let view: AnswerView =
            switch insight.view {
            case .table:
                if case .funnel = insight.kind { .funnel(reading.stages) } else { .table }
            case .ranking(let top): .ranking(AnswerRanking(of: table, top: top, order: order, rest: reading.rest))
            case .change(let references):
                .change(
                    references.map { reference in
                        let earlier = reference.period(of: period, in: calendar)
                        let then = history.release(of: earlier, for: insight).release?.header
                        return AnswerComparison(
                            of: table.rows.map(\.figure), with: point(earlier).figures, reference: reference,
                            period: earlier, isSameQuestion: header.asksTheSame(as: then), interval: interval)
                    })
            case .trend:
                .trend(
                    ([period] + insight.earlierPeriods(of: period, in: calendar)).reversed().map(point))
            }
        outcome = .answered(
            Answered(
                release: history.current.digest,
                basis: basis,
                axes: axes,
                table: table,
                view: view,
                clip: clip,
                leads: insight.kind.isCompared ? table.largestPlace.map { order.leads(of: $0) } ?? [] : [],
                aged: (coarsened?.aged ?? []).map { from, to in
                    AgedDimension(
                        name: from, title: title(from),
                        now: to.flatMap { name in axes.first { $0.name == name } })
                }))
        comparisons = ownComparisons
    }
}

extension AnswerAxis {
    /// The axis of quantiles, which no dimension of a plan is.
    package init(quantiles: [Quantile]) {
        self.init(name: "quantile", title: "Quantile", labels: quantiles.map { BucketLabel("\($0)") })
    }
}

extension ReleaseHeader {
    /// True if another period's numbers answer the same questions, so that the two have kept noise in common: they are
    /// of the same layout, and of events that were counted in the same part of the period.
    fileprivate func asksTheSame(as other: ReleaseHeader?) -> Bool {
        layout == other?.layout && margins?.events == other?.margins?.events
    }
}

extension AnswerComparison {
    package init(
        of now: [Figure], with then: [Figure], reference: Insight.Reference, period: Period, isSameQuestion: Bool,
        interval: (Quantity) -> Interval?
    ) {
        self.reference = reference
        self.period = period
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
    ) -> Outcome {
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
    fileprivate var isCompared: Bool {
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
        case .reach, .share(of: .devices, part: _):
            header.hasFirsts ? .firsts : header.provesFirsts ? .proved : .window
        }
    }
}
