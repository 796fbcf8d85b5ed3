internal import ThrongWire

/// A public plan as a device follows it, compiled to tables. It comes from the network, so nothing in it is trusted.
struct DevicePlan: Sendable {
    let published: PublicPlan
    let calendar: PeriodCalendar
    /// The purposes in the plan's order.
    let purposes: [Purpose]
    /// The fields that hold values of open vocabularies.
    let revealedFields: Set<String>
    /// The relay that sealed purposes go through; nil if the plan names none.
    var relay: RelayAddress? { published.relay }
    /// The evaluator of values of open vocabularies, before they are hashed; nil if the plan names none.
    var evaluator: Evaluator? { published.evaluator }

    struct Purpose: Sendable {
        let name: String
        let explanation: String
        let needsConsent: Bool
        /// The version that people are asked about.
        let consentVersion: Int
        /// True if children are counted, or may be: no identifier of the purpose outlives the process.
        let countsChildren: Bool
        /// The person whose consent counts.
        let consenting: Consenting
        let refusedBy: Set<OptOutSignal>
        /// True if the device shows an identifier; without one it knows only what it has recorded in a metric's period.
        let hasIdentifiers: Bool
        /// The lifetime of an identifier; without identifiers, the length of the windows that batches name.
        let rotation: Rotation
        /// True if only proved identifiers lift its floors. Children prove none: they would be known again.
        let needsProof: Bool
        /// True if it is sealed, and goes through the relay or not at all.
        let isOblivious: Bool
        let contextFields: Set<String>
        let events: [String: Event]
        /// Metrics that devices answer about themselves.
        let answered: [Metric]

        /// Says whether a parent has to agree, as far as the signals tell the person's age.
        func needsParent(_ signals: Set<OptOutSignal>) -> Bool {
            switch consenting {
            case .person: false
            case .parentOfChild: signals.contains(.ageSignal)
            case .parent: true
            }
        }
    }

    /// The person whose consent counts for a purpose that asks for it.
    enum Consenting: Sendable {
        case person
        /// A parent's, unless the person is grown up.
        case parentOfChild
        case parent
    }

    struct Event: Sendable {
        /// The purpose's metrics that count the event.
        let metrics: [Metric]
        /// The treatment of each field that may be sent, by the field's name.
        let fields: [String: Coarsening]
        /// The finest stretch of time that any of the metrics tells apart.
        let grain: PeriodKind
        /// Share that is sent: one event is sent once for all metrics, so the smallest of their rates.
        let sampling: Double
    }

    init(_ plan: PublicPlan) throws {
        guard let calendar = PeriodCalendar(timeZone: plan.timeZone) else {
            throw ThrongError.plan("this device does not know its time zone.")
        }
        published = plan
        self.calendar = calendar
        let metrics = try plan.metrics.map { try Metric($0, in: plan, calendar: calendar) }
        revealedFields = Set(metrics.flatMap(\.dimensions).filter(\.isRevealed).map(\.field))
        purposes = try plan.purposes.map { purpose in
            guard (60...86_400).contains(purpose.rotationSeconds) else {
                throw ThrongError.plan("an identifier must live from a minute to a day.")
            }
            guard purpose.transport != .oblivious || plan.relay != nil else {
                throw ThrongError.plan("it names no relay for what is to go through one.")
            }
            let own = metrics.filter { $0.purpose == purpose.name.text }
            let hasIdentifiers = purpose.identifier != .absent
            guard hasIdentifiers || !own.contains(where: { $0.asksForMore || $0.isOncePerWindow }) else {
                throw ThrongError.plan("it asks without identifiers what takes one.")
            }
            let countsChildren =
                plan.directedTo == .children || plan.directedTo == .mixed && !purpose.refusedBy.contains(.ageSignal)
            if countsChildren {
                guard purpose.rotationSeconds <= 3600, purpose.use != .marketing, !own.contains(where: \.asksForMore)
                else { throw ThrongError.plan("it asks of children what no plan may.") }
            }
            var events: [String: Event] = [:]
            for event in purpose.events {
                let counting = own.filter { $0.events.contains(event.name.text) }
                events[event.name.text] = Event(
                    metrics: counting,
                    fields: Dictionary(
                        event.fields.map { ($0.text, Coarsening(of: $0, for: counting)) }, uniquingKeysWith: { $1 }),
                    grain: Self.grain(of: counting), sampling: counting.map(\.sampling).min() ?? 1)
            }
            return Purpose(
                name: purpose.name.text, explanation: purpose.explanation, needsConsent: purpose.needsConsent,
                consentVersion: max(1, purpose.consentVersion ?? 1), countsChildren: countsChildren,
                consenting: purpose.consentOfParent != true
                    ? .person : plan.directedTo == .mixed ? .parentOfChild : .parent, refusedBy: Set(purpose.refusedBy),
                hasIdentifiers: hasIdentifiers, rotation: Rotation(seconds: purpose.rotationSeconds),
                needsProof: purpose.floor == .attested && hasIdentifiers && !countsChildren,
                isOblivious: purpose.transport == .oblivious, contextFields: Set(purpose.contextFields.map(\.text)),
                events: events, answered: own.filter { $0.answered != nil })
        }
    }

    /// The finest stretch of time that any of the metrics tells apart.
    private static func grain(of metrics: [Metric]) -> PeriodKind {
        let grains = Set(metrics.map(\.grain))
        // A week may lie in two months.
        return grains == [.week, .month] ? .day : grains.min() ?? .day
    }

    func purpose(_ name: String) -> Purpose? { purposes.first { $0.name == name } }

    /// A metric with its bucketings.
    struct Metric: Sendable {
        let name: String
        let question: String
        let purpose: String
        let events: Set<String>
        /// The dimensions in the plan's order; a histogram is the last.
        let dimensions: [Dimension]
        /// The dimensions by which funnels tell their steps; the metric need not be split by them.
        let stepDimensions: [Dimension]
        /// True if an identifier counts once, when its window is over.
        let isOncePerWindow: Bool
        let sums: [SumMeasure]
        let period: PeriodKind
        let bound: Int
        let sampling: Double
        /// The instant from which it no longer counts.
        let expires: UnixSeconds
        /// Buckets that can't occur together: by dimension, the bucket.
        let impossible: [[(dimension: Int, bucket: Int)]]
        /// The groupings for which first contributions are marked.
        let groupings: [[Part]]
        /// The kinds of period for which first contributions are marked.
        let firstPeriods: [PeriodKind]
        let answered: PublicPlan.Answered?
        /// The cells in which the device proves that it is; nil if it proves nothing.
        let proved: ProvedGroupings?

        /// The cells and lengths of time for which a device proves, once each, that it is in them.
        struct ProvedGroupings: Sendable {
            let periods: [PeriodKind]
            /// The groupings, without the dimensions that partition devices.
            let groupings: [[Part]]
            /// The dimensions that partition devices.
            let partition: [Part]
            /// The metric as proofs name it.
            let published: PublicPlan.Metric
        }

        /// One way to split it.
        struct Dimension: Sendable {
            let name: String
            let field: String
            let rule: BucketingRule
            let bucketing: any Bucketing
        }

        /// One column of a grouping: a dimension, by the buckets that are shown.
        struct Part: Sendable {
            let name: String
            /// The dimension that it shows, or is made of.
            let dimension: Int
            /// The place of the bucket that is shown, for each bucket of the dimension.
            let shown: [Int]
            /// The label of the bucket that is shown, for each bucket of the dimension.
            let labels: [BucketLabel]
        }

        init(_ metric: PublicPlan.Metric, in plan: PublicPlan, calendar: PeriodCalendar) throws {
            name = metric.name.text
            question = metric.question
            purpose = metric.purpose.text
            events = Set(metric.events.map(\.text))
            sums = metric.sums
            period = metric.period
            bound = min(max(metric.contributionBound, 0), 1_000_000)
            sampling = min(max(metric.sampling, 0), 1)
            answered = metric.answered
            firstPeriods = metric.firstPeriods ?? []
            guard let lastDay = CalendarDate(metric.expires) else {
                throw ThrongError.plan("a metric's expiry is no date.")
            }
            expires = calendar.midnight(of: lastDay)
            for sum in sums {
                // 10^12 units of 10^-6 still fit into 64 bits.
                guard sum.lowest <= sum.highest, max(abs(sum.lowest), abs(sum.highest)) <= 1e12,
                    (0...6).contains(sum.decimals)
                else { throw ThrongError.plan("a sum's bounds are out of range.") }
            }
            var dimensions: [Dimension] = []
            for name in metric.dimensions where name != metric.histogram?.name {
                guard let found = plan.dimensions.first(where: { $0.name == name }) else {
                    throw ThrongError.plan("a metric is split by a dimension that is not there.")
                }
                dimensions.append(try Dimension(found))
            }
            if let histogram = metric.histogram { dimensions.append(try Dimension(histogram)) }
            self.dimensions = dimensions
            isOncePerWindow = metric.within != nil
            let names = Set((metric.within?.funnel?.steps ?? []).flatMap(\.filters).map(\.dimension))
            stepDimensions = try plan.dimensions.filter { names.contains($0.name) }.map { try Dimension($0) }
            impossible = metric.impossible.compactMap { combination in
                let parts: [(dimension: Int, bucket: Int)?] = combination.parts.map { part in
                    guard let dimension = dimensions.firstIndex(where: { $0.name == part.dimension.text }),
                        let bucket = dimensions[dimension].bucketing.labels.firstIndex(of: part.bucket)
                    else { return nil }
                    return (dimension, bucket)
                }
                return parts.isEmpty || parts.contains { $0 == nil } ? nil : parts.compactMap(\.self)
            }
            func parts(_ names: [DimensionName]) throws -> [Part] {
                try names.map { name in
                    guard let part = Self.part(name, of: dimensions, in: plan) else {
                        throw ThrongError.plan("a grouping has a dimension that is not there.")
                    }
                    return part
                }
            }
            func groupings(_ names: [[DimensionName]], in periods: [PeriodKind]) throws -> [[Part]] {
                // The daemon asks for 64 at most; each costs a hash an event.
                guard names.count * periods.count <= 256 else { throw ThrongError.plan("it asks for too many firsts.") }
                return try names.map(parts)
            }
            self.groupings = try groupings(metric.firstGroupings ?? [], in: firstPeriods)
            proved = try metric.provedFirsts.map { firsts in
                ProvedGroupings(
                    periods: firsts.periods, groupings: try groupings(firsts.groupings, in: firsts.periods),
                    partition: try parts(firsts.partition), published: metric)
            }
        }

        /// The longest stretch of time within which it makes no difference when an event happened.
        var grain: PeriodKind {
            let times = (dimensions + stepDimensions).filter { $0.field == FieldName.time.text }
            guard !times.isEmpty else { return period }
            let tellsHours = times.contains { dimension in
                guard case .time(let part, _) = dimension.rule else { return true }
                return part == .hour
            }
            return tellsHours ? .hour : min(period, .day)
        }

        /// The bucket of each dimension, from fields as the daemon will get them.
        func buckets(event: String, fields: [String: Batch.Scalar], at time: UnixSeconds) -> [Int] {
            dimensions.map { dimension in
                switch dimension.field {
                case FieldName.time.text: dimension.bucketing.bucket(.integer(time.value))
                case FieldName.event.text: event.withFieldValue { dimension.bucketing.bucket($0) }
                default: (fields[dimension.field] ?? .null).withFieldValue { dimension.bucketing.bucket($0) }
                }
            }
        }

        /// True if it asks for firsts, for answers or for values that nobody has listed.
        var asksForMore: Bool { !firstPeriods.isEmpty || answered != nil || dimensions.contains(where: \.isRevealed) }

        /// Says whether the plan rules these buckets out together.
        func isImpossible(_ buckets: [Int]) -> Bool {
            impossible.contains { $0.allSatisfy { buckets[$0.dimension] == $0.bucket } }
        }

        private static func part(_ name: DimensionName, of dimensions: [Dimension], in plan: PublicPlan) -> Part? {
            if let place = dimensions.firstIndex(where: { $0.name == name.text }) {
                return Part(
                    name: name.text, dimension: place, shown: Array(dimensions[place].bucketing.labels.indices),
                    labels: dimensions[place].bucketing.labels)
            }
            guard let derived = plan.derivedDimensions.first(where: { $0.name == name }),
                let place = dimensions.firstIndex(where: { $0.name == derived.of.text })
            else { return nil }
            let shown = dimensions[place].bucketing.labels.map { label in
                derived.groups.firstIndex { $0.values.contains { BucketLabel($0) == label } } ?? derived.groups.count
            }
            let labels = derived.groups.map(\.label) + [.other]
            return Part(name: name.text, dimension: place, shown: shown, labels: shown.map { labels[$0] })
        }
    }
}

extension DevicePlan.Metric.Dimension {
    init(_ dimension: PublicPlan.Dimension) throws {
        self.init(
            name: dimension.name.text, field: dimension.field.text, rule: dimension.rule,
            bucketing: try Self.bucketing(dimension.rule, labels: dimension.buckets))
    }

    init(_ histogram: HistogramMeasure) throws {
        let rule = BucketingRule.bands(edges: histogram.edges)
        self.init(
            name: histogram.name.text, field: histogram.field.text, rule: rule,
            bucketing: try Self.bucketing(rule, labels: []))
    }

    private static func bucketing(_ rule: BucketingRule, labels: [BucketLabel]) throws -> any Bucketing {
        do throws(BucketingProblem) {
            // A device knows its own system and browser and says their labels; it needs no rules for user agents.
            return try rule.compiled { _, _ throws(BucketingProblem) in try LabelBucketing(labels) }
        } catch { throw ThrongError.plan("\(error).") }
    }
}
