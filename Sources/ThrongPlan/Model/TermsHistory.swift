package import ThrongWire

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
}
