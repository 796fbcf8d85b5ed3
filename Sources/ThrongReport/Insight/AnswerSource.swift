package import ThrongPlan
package import ThrongRelease

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

    /// Returns the difference that keeps the numbers of an insight from being compared with an earlier release's; nil
    /// where they are the same thing counted in the same way.
    package func difference(from earlier: ReleaseHeader, for insight: Insight) -> Absence.Difference? {
        let old = earlier.layout
        if let events, let before = earlier.events, events != before { return .events }
        if sampling != earlier.sampling { return .sampling }
        if layout.purpose != old.purpose || layout.rotation != old.rotation { return .identifiers }
        if layout.contributionBound != old.contributionBound { return .contribution }
        let isKnownAlike = hasFirsts == earlier.hasFirsts && provesFirsts == earlier.provesFirsts
        if !isKnownAlike, insight.kind.counts == .devices { return .devices }
        // Values are of all who send, proved or not.
        if layout.floor != old.floor, insight.kind.counts == .devices || layout.within != nil { return .devices }
        if case .mean(let name) = insight.kind,
            layout.sums.first(where: { $0.name == name }) != old.sums.first(where: { $0.name == name })
        {
            return .sum
        }
        return insight.usedDimensions.allSatisfy { layout.splits($0, as: old) } ? nil : .buckets
    }
}

/// The releases of one metric that one report reads: that of its own period, and those that had been made by then.
///
/// A release that came later is not part of it, although its period may be earlier: so a report says the same whenever
/// it is made.
package struct ReleaseHistory: Sendable {
    package let current: Release
    /// The releases of other periods of the same kind; what is not needed is not read.
    package let earlier: [Release]
    /// The start of the first period of which the metric was ever released.
    package let began: UnixSeconds
    /// Earlier periods whose numbers the plan promised to others only.
    package let unnamed: Set<Period>
    /// The releases whose numbers are of a part of their period: compared with others, they would tell a change that there was not.
    let partial: Set<ReleaseDigest>

    package init(
        current: Release, earlier: [Release] = [], began: UnixSeconds? = nil, unnamed: Set<Period> = [],
        partial: Set<ReleaseDigest> = []
    ) {
        (self.current, self.earlier, self.unnamed, self.partial) = (current, earlier, unnamed, partial)
        self.began = began ?? ([current] + earlier).map(\.header.period.start).min() ?? current.header.period.start
    }

    /// The release of an earlier period that can be compared with the current one, or why there is none.
    package func release(of period: Period, for insight: Insight) -> (release: Release?, absence: Absence) {
        if period == current.header.period { return (current, .notReleased) }
        if unnamed.contains(period) { return (nil, .unnamed) }
        let candidates = earlier.filter { $0.header.period == period }
        guard let last = candidates.last else { return (nil, period.start < began ? .beganLater : .notReleased) }
        for candidate in candidates where difference(from: candidate, for: insight) == nil {
            return (candidate, .notReleased)
        }
        return (nil, difference(from: last, for: insight).map { .changed($0) } ?? .notReleased)
    }

    private func difference(from release: Release, for insight: Insight) -> Absence.Difference? {
        let isPart = partial.contains(release.digest) || partial.contains(current.digest)
        return current.header.difference(from: release.header, for: insight) ?? (isPart ? .part : nil)
    }
}

extension MetricLayout {
    fileprivate func splits(_ name: DimensionName, as other: MetricLayout) -> Bool {
        guard let mine = dimensions.first(where: { $0.name == name }),
            let theirs = other.dimensions.first(where: { $0.name == name }), mine.isSplit(as: theirs),
            mine.coarsening?.buckets == theirs.coarsening?.buckets
        else { return false }
        guard let base = mine.coarsening?.place, let otherBase = theirs.coarsening?.place else { return true }
        return dimensions[base].isSplit(as: other.dimensions[otherBase])
    }
}

extension Insight {
    /// The dimensions whose buckets the numbers of a count, reach, share or mean depend on.
    var usedDimensions: [DimensionName] {
        guard case .share(_, let part?) = kind else { return by + filters.map(\.dimension) }
        return by + filters.map(\.dimension) + [part.dimension]
    }

    /// The periods besides a report's own whose releases the insight reads, the latest first.
    package func earlierPeriods(of period: Period, in calendar: PeriodCalendar) -> [Period] {
        switch view {
        case .table, .ranking: return []
        case .change(let references): return references.map { $0.period(of: period, in: calendar) }
        case .trend(let periods):
            var all: [Period] = []
            var next = period
            for _ in 1..<max(periods, 1) {
                next = Reference.periodBefore.period(of: next, in: calendar)
                all.append(next)
            }
            return all
        }
    }
}

extension Plan {
    /// The dimensions of a release whose bucket `other` nothing can land in, as everybody can see in the plan: an
    /// event has a time; where a list has every event that the metric counts, no other one is counted; and of a field
    /// that is summed, an event without a number is refused. Their places in the layout.
    package func closedDimensions(of header: ReleaseHeader) -> Set<Int> {
        let dimensions = header.layout.dimensions
        let named = metric(header.layout.metric).map { cubeDimensions(of: $0) } ?? []
        let summed = header.layout.sums.map(\.field)
        let closed = dimensions.indices.filter { place in
            guard let dimension = named.first(where: { $0.name == dimensions[place].name }),
                dimensions[place].coarsening == nil,
                // The plan's rule tells about earlier counts only if it is still the same rule.
                dimension.rule.fingerprint(rules: .system) == dimensions[place].rule
            else { return false }
            switch (dimension.rule, dimension.field, header.events) {
            case (.time, _, _): return true
            case (.bands, let field, _): return summed.contains(field)
            case (.list(let groups), .event, let events?):
                let known = Set(groups.flatMap(\.values))
                return events.allSatisfy { known.contains($0.text) }
            default: return false
            }
        }
        let made = dimensions.indices.filter { place in
            guard let base = dimensions[place].coarsening, closed.contains(base.place) else { return false }
            return !base.buckets.dropLast().contains(dimensions[place].labels.count - 1)
        }
        return Set(closed + made)
    }
}

/// The basis of an answer's numbers: everything that a reader needs in order not to read too much into them.
package struct NumberBasis: Sendable, Hashable {
    package let counts: Counted
    /// The least number of devices behind each number, or of events where there are no identifiers: k.
    package let threshold: Threshold
    /// Share of events that clients send: more than 0, at most 1. Under 1, numbers of events are scaled up.
    package let sampling: Double
    /// The length of the windows within which devices are told apart.
    package let rotation: Rotation
    /// The period that the numbers are of.
    package let period: PeriodKind
    package let margin: NumberMargin
    /// The evidence that numbers are numbers of devices; nil where they are not.
    package let devices: Devices?
    /// True if devices showed identifiers, so that they could be told apart within windows.
    package let hasIdentifiers: Bool
    /// The devices that count for k.
    package let floor: FloorKind

    /// The evidence that numbers of devices stand on.
    package enum Devices: String, Sendable, Hashable, Codable {
        /// The identifiers of the busiest window.
        case window = "one_window"
        /// Those that proved to be there, once each in the period.
        case proved = "proved_firsts"
        /// Clients say which event is a device's first in the period; nobody can check it.
        case firsts = "client_firsts"
        /// Devices answer by themselves, once a period; nobody can check it.
        case answers = "client_answers"
    }

    /// True if numbers of a kind have an interval, because they are devices, quotients or estimates from a sample.
    package func hasInterval(_ kind: Insight.Kind) -> Bool {
        kind.isTally ? sampling < 1 : kind == .reach || kind.isQuotient
    }

    /// Returns the margin that holds 19 of 20 numbers of a kind; nil where they have an interval or a band instead.
    ///
    /// Unit: the numbers'.
    package func margin(of kind: Insight.Kind) -> Int64? {
        kind != .reach && sampling < 1 || margin.isOfTerms ? nil : within
    }

    /// The margin that holds 19 of 20 numbers: of a sample, the numbers in the sample; of quotients and quantiles, the
    /// numbers that they are computed from. Unit: the numbers'.
    package var within: Int64 { counts == .devices ? margin.devices ?? margin.events : margin.events }

    package var kText: String { String(threshold.devices) }

    /// ``floor`` as JSON has it; nil where there are no identifiers, and k counts events.
    package var floorText: String? { hasIdentifiers ? floor.rawValue : nil }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    package var samplingText: String { sampling == 1 ? "1" : "\(sampling)" }
}

extension Insight.Kind {
    /// True if numbers are of events, or of what counts once each: of a sample they are scaled up.
    var isTally: Bool {
        switch self {
        case .count, .distribution, .frequency: true
        case .reach, .share, .mean, .quantiles, .retention, .funnel: false
        }
    }

    /// True if numbers are computed from two others.
    package var isQuotient: Bool {
        switch self {
        case .share, .mean, .retention: true
        case .count, .reach, .distribution, .frequency, .quantiles, .funnel: false
        }
    }

    fileprivate var isFunnel: Bool { if case .funnel = self { true } else { false } }
}

/// The things that a report's number counts.
package enum Counted: String, Sendable, Hashable, Codable {
    /// Events, or answers of devices.
    case events
    /// Devices, each once in the period or in its busiest window.
    case devices
    /// Identifiers, each once when its window was over: a device counts again in a later window.
    case identifiers

    /// The word for one of them.
    package var one: String { String(rawValue.dropLast()) }

    /// Finds what numbers of a kind count: identifiers for a metric that looks at windows, else events or devices.
    package init(by kind: Insight.Kind, isWithin: Bool) {
        self = isWithin ? .identifiers : kind.counts == .events ? .events : .devices
    }
}

/// The margins of an answer's numbers, which are noisy on purpose.
package struct NumberMargin: Sendable, Hashable {
    /// 19 of 20 numbers of events lie within this of what was counted, or less. Unit: events, or identifiers.
    package let events: Int64
    /// The same of numbers of devices; nil where none are published. Unit: devices.
    package let devices: Int64?
    /// ρ, rounded up, such as "0.98": what one device adds to the release costs, or one event without identifiers.
    package let cost: String
    /// True if the margin is about the numbers that answers are computed from, and not about the answers.
    package let isOfTerms: Bool
}

extension NumberBasis {
    /// Reads what a report's file says of it, with how long an identifier lasts; nil where there is none. Unit: seconds.
    package init(
        counting counts: Counted, threshold: Threshold, sampling: Double, window: Int64?, period: PeriodKind,
        within: Int64, isOfTerms: Bool, devices: Devices?, floor: FloorKind
    ) {
        self.init(
            counts: counts, threshold: threshold, sampling: sampling,
            rotation: window.map { Rotation(seconds: $0) } ?? .standard, period: period,
            margin: NumberMargin(events: within, devices: nil, cost: "", isOfTerms: isOfTerms), devices: devices,
            hasIdentifiers: window != nil, floor: floor)
    }
}

extension NumberMargin {
    /// Reads the margins that a release states; nil before it is drawn.
    ///
    /// - Parameters:
    ///   - groupings: the ones that are read; the widest margin among them and the rows is told.
    ///   - rows: what is computed from them.
    package init?(_ header: ReleaseHeader, groupings: [Margin], kind: Insight.Kind, rows: [AnswerRow]) {
        guard let margins = header.margins else { return nil }
        let read = groupings.compactMap { header.margin(of: $0) }
        let shown = kind.counts == .events || kind.isFunnel ? rows.compactMap { $0.figure.quantity?.within } : []
        let isQuantile = if case .quantiles = kind { true } else { false }
        self.init(
            events: (read + shown).max() ?? margins.groupings.map(\.count).max() ?? 0,
            devices: groupings.compactMap { header.deviceMargin(of: $0) }.max(), cost: margins.cost,
            isOfTerms: kind.isQuotient || isQuantile)
    }
}
