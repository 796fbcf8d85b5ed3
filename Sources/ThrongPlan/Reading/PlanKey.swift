/// The keys that one kind of mapping in a plan may have.
protocol PlanKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The keys that can't be left out: all of them unless a kind of mapping says which.
    static var required: Set<Self> { get }
}

extension PlanKey {
    static var required: Set<Self> { Set(allCases) }
    static var names: [String] { allCases.map(\.rawValue) }
}

/// Every key that a plan knows, by its mapping. `Schema/plan.schema.json` says the same to editors.
enum PlanKeys {
    enum Root: String, PlanKey {
        case app, purposes, dimensions, metrics, insights, reports, partners
        static let required: Set<Self> = [.app, .purposes, .metrics]
    }

    enum App: String, PlanKey {
        case name, title, owner, contact, audience, threshold, budget
        case timeZone = "time_zone"
        case grace
        case directedTo = "directed_to"
        case relay, evaluator, keys
        static let required: Set<Self> = [.name, .title, .owner, .contact, .audience]
    }

    enum Evaluator: String, PlanKey { case url, key }

    enum Purpose: String, PlanKey {
        case explanation, use, consent
        case consentVersion = "consent_version"
        case refusedBy = "refused_by"
        case identifier, floor, rotation, retention, transport, senders
        case floorPerNetwork = "floor_per_network"
        static let required: Set<Self> = [.explanation, .consent, .retention]
    }

    enum Dimension: String, PlanKey {
        case title, field, partitions
        case list, bands
        case significantFigures = "significant_figures"
        case powers, version, screen, browser
        case operatingSystem = "operating_system"
        case deviceClass = "device_class"
        case language
        case utcOffset = "utc_offset"
        case region, time, host, route
        case fileType = "file_type"
        case memory, cores, revealed
        case of, groups
        static let required: Set<Self> = [.title]
        /// The keys that say how a dimension coarsens; it has exactly one of them.
        static let kinds: [Self] = allCases.filter { ![.title, .field, .partitions, .groups].contains($0) }
    }

    enum SignificantFigures: String, PlanKey { case digits, from, to }
    enum Powers: String, PlanKey { case base, from, to }
    enum Version: String, PlanKey { case level, known }

    enum Screen: String, PlanKey {
        case mediumFrom = "medium_from"
        case largeFrom = "large_from"
    }

    enum UTCOffset: String, PlanKey {
        case bandHours = "band_hours"
    }

    enum Revealed: String, PlanKey { case most }

    enum Metric: String, PlanKey {
        case title, events, question, decision, owner, expires, purpose, dimensions, period, measures
        case contributionBound = "contribution_bound"
        case sampling, threshold, impossible, margins, rollups, decay, answered, noun
        static let required: Set<Self> = [
            .title, .events, .question, .decision, .owner, .expires, .purpose, .period,
        ]
    }

    enum Noun: String, PlanKey {
        case one, many
        static let required: Set<Self> = [.one, .many]
    }

    enum Answered: String, PlanKey {
        case retention, frequency
        static let required: Set<Self> = []
    }

    enum Retention: String, PlanKey { case of, weeks }
    enum Frequency: String, PlanKey { case of, per, bands }

    enum Measures: String, PlanKey {
        case count, sums, histogram, reach, frequency, funnel
        static let required: Set<Self> = []
    }

    enum Times: String, PlanKey {
        case name, bands
        static let required: Set<Self> = [.bands]
    }

    enum Funnel: String, PlanKey {
        case name, steps
        static let required: Set<Self> = [.steps]
    }

    enum Step: String, PlanKey {
        case title, event
        case whereBuckets = "where"
        static let required: Set<Self> = [.title, .event]
    }

    enum Sum: String, PlanKey {
        case field, from, to, decimals, unit
        static let required: Set<Self> = [.field, .from, .to]
    }

    enum Histogram: String, PlanKey {
        case name, title, field, edges, unit
        static let required: Set<Self> = [.name, .field, .edges]
    }

    enum Decay: String, PlanKey {
        case after, drop, coarsen, to, keep, delete
        static let required: Set<Self> = [.after]
    }

    enum Insight: String, PlanKey {
        case title, explanation, metric, kind, by
        case whereBuckets = "where"
        case basis, part, sum, at, top, change, trend
        static let required: Set<Self> = [.title, .metric, .kind]
    }

    enum Report: String, PlanKey {
        case title, explanation, partner, insights, period, schedule, formats, locale, language, split, deliver
        static let required: Set<Self> = [.title, .partner, .insights, .period]
    }

    enum Delivery: String, PlanKey {
        case folder, put, post, authorization
        static let required: Set<Self> = []
    }

    enum Partner: String, PlanKey {
        case title, contact, language
        static let required: Set<Self> = [.title, .contact]
    }
}
