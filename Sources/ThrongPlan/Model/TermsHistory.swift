/// The terms that a plan set for a layout's releases, and the time for which it was in force.
package struct TermsVersion: Sendable, Hashable {
    /// The metric's name then.
    package let metric: MetricName
    /// The schema's number of its layout.
    package let layout: Int64
    /// The start of that time; nil for as long as there are counters.
    package let since: UnixSeconds?
    /// The end of that time; nil for a plan in force.
    package let until: UnixSeconds?
    package let terms: ReleaseTerms

    package init(metric: MetricName, layout: Int64, since: UnixSeconds?, until: UnixSeconds?, terms: ReleaseTerms) {
        (self.metric, self.layout, self.since, self.until, self.terms) = (metric, layout, since, until, terms)
    }
}

/// The record of what an app's metrics counted in a stretch of time. Each edit of a plan divides it: half a day is not
/// all day.
package struct TermsHistory: Sendable {
    private let versions: [TermsVersion]
    private let known: [MetricName: CountedEvents]
    private let knownLayouts: [Int64: CountedEvents]

    /// - Parameters:
    ///   - versions: the versions of layouts that were counted in the stretch.
    ///   - start: the stretch's first second.
    package init(_ versions: [TermsVersion], from start: UnixSeconds) {
        self.versions = versions
        let edits = versions.flatMap { [$0.since, $0.until] }.compactMap { $0 }
        let cuts = [start] + Set(edits).filter { $0 > start }.sorted()
        func counted(_ versions: [TermsVersion]) -> CountedEvents? {
            var events = Accumulated()
            for version in versions {
                guard let counted = version.terms.counted else { continue }
                events.add(counted, in: Self.stretches(of: version, cuts))
            }
            return events.counted(cuts)
        }
        known = Dictionary(grouping: versions, by: \.metric).compactMapValues(counted)
        knownLayouts = Dictionary(grouping: versions, by: \.layout).compactMapValues(counted)
    }

    /// Returns what a metric counted; nil if nobody kept that.
    package func counted(by metric: MetricName) -> CountedEvents? { known[metric] }

    /// Returns what was counted in a layout, when it was; nil if nobody kept that.
    ///
    /// - Parameter layout: its number in the schema.
    package func counted(in layout: Int64) -> CountedEvents? { knownLayouts[layout] }

    /// Returns the origins of a layout's base dimensions, under any plan.
    ///
    /// - Parameter layout: its number in the schema.
    package func origins(of layout: Int64) -> DimensionOrigins {
        var found: DimensionOrigins = [:]
        for version in versions where version.layout == layout {
            for (name, origin) in version.terms.origins { found[name, default: []].insert(origin) }
        }
        return found
    }

    /// Returns terms that satisfy every version of some metrics; nil if there is none.
    package func strictest(of metrics: Set<MetricName>) -> ReleaseTerms? {
        versions.filter { metrics.contains($0.metric) }.map(\.terms).reduce(nil) { $0?.stricter(with: $1) ?? $1 }
    }

    /// Returns the stretches in which a version was in force; the nearest one if it never was.
    private static func stretches(of version: TermsVersion, _ cuts: [UnixSeconds]) -> Range<Int> {
        let first = version.since.flatMap { since in cuts.lastIndex { $0 <= since } } ?? 0
        let last = version.until.flatMap { until in cuts.firstIndex { $0 >= until } } ?? cuts.endIndex
        return first..<max(first + 1, last)
    }

    private struct Accumulated {
        private var kinds: Set<CountedEvents.EventKind> = []
        private var audience: CountedEvents.Audience?

        mutating func add(_ counted: CountedEvents, in stretches: Range<Int>) {
            guard let version = counted.kinds, !version.isEmpty else { return }
            audience = counted.audience
            for stretch in stretches {
                kinds.formUnion(version.map { .init(event: $0.event, client: $0.client, stretch: stretch) })
            }
        }

        func counted(_ cuts: [UnixSeconds]) -> CountedEvents? {
            audience.map { CountedEvents(kinds: kinds, audience: $0, starts: cuts) }
        }
    }
}

/// The events that a metric counts, when, and of which clients, whatever the metric is called.
package struct CountedEvents: Sendable, Hashable {
    /// All of the events; nil if the plan that named them is gone. Such a metric may count anything.
    package let kinds: Set<EventKind>?
    /// The clients that send them, as the last of its plans has it.
    package let audience: Audience
    /// The starts of the stretches; none if there is only one. The first reaches back, the last goes on.
    package let starts: [UnixSeconds]

    /// One kind of event, of one kind of client, in a stretch of time in which no plan was edited.
    package struct EventKind: Sendable, Hashable {
        package let event: EventName
        package let client: Client
        /// The number of the stretch; 0 if there is only one.
        package let stretch: Int
    }

    /// The clients of a purpose. Purposes with the same consent and the same signals have the same clients.
    package enum Audience: Sendable, Hashable {
        /// Clients by the consent that the purpose needs and the signals that refuse it.
        case terms(needsConsent: Bool, refusedBy: Set<OptOutSignal>)
        /// The clients of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Clients that every purpose treats alike.
    package enum Client: Sendable, Hashable {
        /// Bit 0: they consent where they are asked. Bit i + 1: they send signal i.
        case answers(UInt8)
        /// The clients of a purpose that the plan no longer has.
        case former(PurposeName)
    }

    /// Creates the events by names that were counted all of the time, and by who sends them.
    package init(names: Set<EventName>?, audience: Audience) {
        let all = names?.flatMap { name in audience.clients.map { EventKind(event: name, client: $0, stretch: 0) } }
        self.init(kinds: all.map { Set($0) }, audience: audience)
    }

    init(kinds: Set<EventKind>?, audience: Audience, starts: [UnixSeconds] = []) {
        (self.kinds, self.audience, self.starts) = (kinds, audience, starts)
    }

    /// The events by name; nil if nobody knows them, or if they were not the same all of the time.
    package var names: Set<EventName>? {
        guard let kinds else { return nil }
        let named = Set(Dictionary(grouping: kinds, by: \.stretch).values.map { Set($0.map(\.event)) })
        return named.count > 1 ? nil : named.first ?? []
    }

    /// True if something is counted by both, or may be.
    package func overlaps(_ other: CountedEvents) -> Bool {
        guard let mine = kinds, let its = other.kinds else { return audience == other.audience }
        return !mine.isDisjoint(with: its)
    }
}

extension CountedEvents.Audience {
    /// The clients that count. One that consents for a purpose is taken to consent for all, so that the purpose that
    /// asks for less has all clients of the other.
    fileprivate var clients: [CountedEvents.Client] {
        switch self {
        case .former(let purpose): return [.former(purpose)]
        case .terms(let needsConsent, let refusedBy):
            let signals = OptOutSignal.allCases
            return (0..<UInt8(2 << signals.count)).filter { answer in
                (!needsConsent || answer & 1 == 1)
                    && signals.enumerated().allSatisfy { place, signal in
                        !refusedBy.contains(signal) || answer >> UInt8(place + 1) & 1 == 0
                    }
            }.map { .answers($0) }
        }
    }
}

extension Plan {
    package func counted(by metric: Metric) -> CountedEvents {
        CountedEvents(names: Set(metric.countingEvents), audience: audience(of: metric.purpose))
    }

    private func audience(of name: PurposeName) -> CountedEvents.Audience {
        guard let purpose = purpose(name) else { return .former(name) }
        return .terms(needsConsent: purpose.needsConsent, refusedBy: purpose.refusedBy)
    }

    package func releaseTerms(of metric: Metric) -> ReleaseTerms {
        ReleaseTerms(
            threshold: metric.threshold, expiry: expirySteps(of: metric), counted: counted(by: metric),
            origins: origins(of: metric), explanation: explanation(of: metric), recipients: recipients(of: metric.name))
    }

    package func explanation(of metric: Metric) -> String? { purpose(metric.purpose)?.explanation }

    /// Returns the partners whose reports show numbers of a metric, ascending.
    package func recipients(of metric: MetricName) -> [PartnerName] {
        Set(reports.filter { $0.insights.contains { insight($0)?.metric == metric } }.map(\.partner)).sorted()
    }

    /// Returns the decay steps of a metric and, last, the end of its purpose's retention.
    package func expirySteps(of metric: Metric) -> [DecayStep] {
        let retention = purpose(metric.purpose)?.retention ?? purposes.map(\.retention).min() ?? .zero
        return metric.decay + [DecayStep(after: retention, action: .delete)]
    }

    /// Returns the time for which a report may be kept after the end of a period whose numbers of a metric are in it:
    /// until the first age that takes any of them. Unit: seconds.
    ///
    /// - Parameter age: the period's age when the report is made. The report no longer holds what age has taken by
    ///   then; what stands there instead may be split by anything that is left. Unit: seconds.
    package func seconds(keeping report: Report, with metric: Metric, at age: Int64 = 0) -> Int64 {
        let steps = expirySteps(of: metric)
        let taking = steps.filter { takes($0, of: report, metric) }.map(\.after.components.seconds)
        guard let first = taking.min() else { return 0 }
        if first > age { return first }
        return steps.map(\.after.components.seconds).filter { $0 > age }.min() ?? first
    }

    private func takes(_ step: DecayStep, of report: Report, _ metric: Metric) -> Bool {
        let shown = report.insights.compactMap { insight($0) }.filter { $0.metric == metric.name }
            .flatMap { $0.groupings(histogram: metric.histogram?.name) }
        return shown.contains { step.action.takes(splitBy: Set($0), by: report.period) }
    }

    /// Returns the first step that takes a released number, after the end of its period; nil if none does.
    ///
    /// - Parameter names: the dimensions that it is split by.
    package func end(of metric: Metric, splitBy names: Set<DimensionName>, by period: PeriodKind) -> DecayStep? {
        expirySteps(of: metric).filter { $0.action.takes(splitBy: names, by: period) }.min { $0.after < $1.after }
    }

    /// Returns the longest time for which a report may be kept after the end of its own period. Unit: seconds.
    package func seconds(keeping report: Report) -> Int64 {
        let names = Set(report.insights.compactMap { insight($0)?.metric })
        return metrics.filter { names.contains($0.name) }.map { seconds(keeping: report, with: $0) }.min() ?? 0
    }
}

/// The terms that a plan sets for a metric's releases beyond its layout. They are kept with the layout, so that numbers
/// are released under the terms of all plans.
package struct ReleaseTerms: Sendable, Hashable {
    package private(set) var threshold: Threshold
    /// The ages at which the metric's numbers go, retention last; empty if nobody said so.
    package private(set) var expiry: [DecayStep]
    /// The events that are counted, and of whom; nil if nobody said so.
    package private(set) var counted: CountedEvents?
    /// The origins of the base dimensions; none if nobody said so.
    package let origins: [DimensionName: DimensionOrigin]
    /// The explanation, for people, of what the metric is counted for; nil if nobody said so.
    package let explanation: String?
    /// The partners whose reports show the metric's numbers, ascending; nil if nobody said so.
    package let recipients: [PartnerName]?

    package init(
        threshold: Threshold, expiry: [DecayStep] = [], counted: CountedEvents? = nil,
        origins: [DimensionName: DimensionOrigin] = [:], explanation: String? = nil, recipients: [PartnerName]? = nil
    ) {
        (self.threshold, self.expiry, self.counted, self.origins) = (threshold, expiry, counted, origins)
        (self.explanation, self.recipients) = (explanation, recipients)
    }

    /// Returns terms that satisfy both. The events, the origins, and what people are told are the first one's.
    package func stricter(with other: ReleaseTerms) -> ReleaseTerms {
        var terms = self
        terms.threshold = max(threshold, other.threshold)
        terms.expiry += other.expiry.filter { !expiry.contains($0) }
        return terms
    }

    package func counting(_ counted: CountedEvents?) -> ReleaseTerms {
        var terms = self
        terms.counted = counted
        return terms
    }
}

extension DecayStep.Action {
    fileprivate func takes(splitBy names: Set<DimensionName>, by period: PeriodKind) -> Bool {
        switch self {
        case .delete: true
        case .drop(let dimension), .coarsen(let dimension, to: _): names.contains(dimension)
        case .keep(let kind): period < kind
        case .keepTotals: !names.isEmpty
        }
    }
}

/// The smallest number of devices that a published number may stand for: k.
package struct Threshold: Hashable, Sendable, Codable, Comparable {
    /// The number of devices, at least ``lowest``. Unit: devices.
    package let devices: Int64

    /// The lowest k; a plan with a lower one is refused. Unit: devices.
    package static let lowest: Int64 = 5
    /// The threshold of a plan that names none.
    package static let standard = Threshold(devices: 20)

    /// The lowest threshold of a plan that counts children; one with a lower threshold is refused.
    package static let forChildren = Threshold(devices: 50)

    package init(devices: Int64) { self.devices = devices }

    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}

/// The share of a window's identifiers that its largest network brought, in windows of which a tenth is k or more.
package enum NetworkShare: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    case underTenth
    case underHalf
    case underNineTenths
    case most

    /// Finds the band of a share; nil for a window with too few identifiers.
    ///
    /// - Parameter threshold: the largest k of the app.
    package init?(_ part: Int, of whole: Int, threshold: Threshold) {
        guard whole >= 10 * Int(threshold.devices) else { return nil }
        self = Self.allCases.last { Int($0.thousandths.lowerBound) * whole <= 1000 * part } ?? .underTenth
    }

    /// The kind under which the schema stores windows of this band.
    package var kind: String { "largest_network_to_\(thousandths.upperBound / 10)" }

    /// The bounds of the band. Unit: thousandths of the identifiers.
    package var thousandths: Range<Int64> {
        switch self {
        case .underTenth: 0..<100
        case .underHalf: 100..<500
        case .underNineTenths: 500..<900
        case .most: 900..<1000
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
