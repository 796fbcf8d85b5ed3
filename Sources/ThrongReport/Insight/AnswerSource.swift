internal import ThrongPlan
internal import ThrongRelease

/// The release that answers an insight, read for it.
struct AnswerSource {
    private let insight: Insight
    private let plan: Plan
    private let history: ReleaseHistory
    private let reading: InsightReading
    private let table: AnswerTable
    private let basis: NumberBasis
    /// The bounds of the values of a mean; nil for other numbers.
    private let clip: ClosedRange<Double>?

    /// Reads the release of the history's period; nil if it does not show what the insight asks for.
    init?(of insight: Insight, plan: Plan, history: ReleaseHistory) {
        let header = history.current.header
        guard let reading = InsightReading(of: insight, plan: plan, release: history.current) else { return nil }
        let table = reading.table
        guard let margin = NumberMargin(header, groupings: reading.groupings, kind: insight.kind, rows: table.rows)
        else { return nil }
        (self.insight, self.plan, self.history, self.reading, self.table) = (insight, plan, history, reading, table)
        let sum = header.layout.sums.first { insight.kind == .mean(sum: $0.name) }
        clip = sum.map { $0.lowest...$0.highest }
        basis = NumberBasis(
            counts: Counted(by: insight.kind, isWithin: header.layout.within != nil), threshold: header.threshold,
            sampling: header.sampling, rotation: header.layout.rotation, period: history.current.header.period.kind,
            margin: margin, devices: insight.kind.deviceBasis(header), hasIdentifiers: header.layout.hasIdentifiers,
            floor: header.layout.floor)
    }

    /// Returns the answer.
    ///
    /// - Parameters:
    ///   - aged: the dimensions that age took from the question, each with the coarser one that is left.
    ///   - title: the title of a dimension.
    func answered(
        for period: Period, in names: PeriodNames, aged: [(from: DimensionName, to: DimensionName?)],
        title: (DimensionName) -> String
    ) -> InsightAnswer.Answered {
        let order = reading.order(of: table, interval: interval(of:))
        var axes = zip(reading.axes, reading.shown).map { axis, buckets in
            AnswerAxis(name: axis.name, title: title(axis.name), labels: buckets.map { axis.labels[$0] })
        }
        if case .quantiles(let quantiles) = insight.kind {
            axes.append(AnswerAxis(quantiles: quantiles, in: names.locale))
        }
        return InsightAnswer.Answered(
            release: history.current.digest, basis: basis, axes: axes, table: table,
            view: view(of: period, in: names.calendar, order: order), clip: clip,
            leads: insight.kind.isCompared ? table.largestPlace.map { order.leads(of: $0) } ?? [] : [],
            leadOverWithheld: leadOverWithheld(order),
            aged: aged.map { from, to in
                AgedDimension(
                    name: from, title: title(from), now: to.flatMap { name in axes.first { $0.name == name } })
            })
    }

    /// Returns the lead of the largest row over all that is withheld, in standard deviations. Without end where nothing
    /// is; 0 where nothing bounds what is, as no mean is bounded by others.
    private func leadOverWithheld(_ order: RowOrder) -> Double {
        let withheld = table.rows.indices.filter { table.rows[$0].figure == .withheld }
        guard !withheld.isEmpty else { return .infinity }
        guard insight.kind.isCompared, let top = table.largestPlace else { return 0 }
        switch basis.devices {
        case nil, .answers:
            // None of them is more than all of them together.
            return table.rest.map { order.lead(of: top, overSumOf: withheld, drawnAs: $0.events) } ?? 0
        case .window, .proved:
            // A number of devices is withheld below k and its margin.
            let k = basis.threshold.devices
            return withheld.map { order.lead(of: top, overSumOf: [$0], drawnAs: k + (order.numbers[$0]?.margin ?? 0)) }
                .min() ?? 0
        case .firsts: return 0
        }
    }

    private func interval(of quantity: Quantity) -> Interval? {
        Interval(of: quantity, basis: basis, clip: clip, kind: insight.kind)
    }

    private func view(of period: Period, in calendar: PeriodCalendar, order: RowOrder) -> AnswerView {
        switch insight.view {
        case .table:
            if case .funnel = insight.kind { return .funnel(reading.stages) }
            return .table
        case .ranking(let top): return .ranking(AnswerRanking(of: table, top: top, order: order, rest: reading.rest))
        case .change(let references): return .change(references.map { comparison(with: $0, of: period, in: calendar) })
        case .trend: return .trend(([period] + insight.earlierPeriods(of: period, in: calendar)).reversed().map(point))
        }
    }

    private func comparison(
        with reference: Insight.Reference, of period: Period, in calendar: PeriodCalendar
    ) -> AnswerComparison {
        let earlier = reference.period(of: period, in: calendar)
        let then = history.release(of: earlier, for: insight).release?.header
        return AnswerComparison(
            of: table.rows.map(\.figure), with: point(earlier).figures, reference: reference,
            period: earlier, isSameQuestion: history.current.header.asksTheSame(as: then), interval: interval(of:))
    }

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
            figures: table.rows.map { figures[$0.buckets] ?? .absent(.notReleased) }, whole: then.whole)
    }
}

extension ReleaseHeader {
    /// True if another period's numbers answer the same questions, so that the two have kept noise in common: they are
    /// of the same layout, and of events that were counted in the same part of the period.
    fileprivate func asksTheSame(as other: ReleaseHeader?) -> Bool {
        layout == other?.layout && margins?.events == other?.margins?.events
    }
}
