package import ThrongPlan

/// Everything that was published and said, before the audit looks at it.
package struct AuditInput: Sendable {
    /// Files and releases that were read.
    package internal(set) var sources: [AuditSource] = []
    /// Files and parts of files that could not be read.
    package internal(set) var unread: [String] = []
    package internal(set) var numbers: [AuditNumber] = []
    /// The public description of each metric, by metric and layout.
    var metrics: [String: AuditMetric] = [:]
    /// The latest description of each metric, in the order of learning.
    private(set) var known: [AuditMetric] = []
    /// The content of each insight, by name: files in CSV and HTML do not say it.
    var insights: [String: AuditInsight] = [:]
    /// Costs as releases state them, by metric and period.
    var costs: [String: Double] = [:]
    /// The bounds that releases chose, by app, metric and period, as they or reports state them: "shop/views/2026-11-16". Unit:
    /// events of an identifier in a window.
    package var bounds: [String: Int64] = [:]
    /// The numbers of pages, which are compared with those of other files.
    var pages: [AuditPage] = []
    /// All numbers in a report's JSON and CSV, by the report's name without its ending.
    var literals: [String: [Double]] = [:]
    /// Tables of CSV files, read when all insights are known.
    var tables: [(name: String, lines: [[String]])] = []

    package init() {}

    /// Learns a plan's metrics and insights.
    ///
    /// - Throws: the errors of the layouts' rules.
    package mutating func learn(_ plan: Plan) throws {
        for metric in plan.metrics { know(try AuditMetric(metric, of: plan)) }
        for insight in plan.insights { insights[insight.name.text] = AuditInsight(insight) }
    }

    /// Takes the description of a metric in one of its layouts; plans and newer layouts come last.
    package mutating func know(_ metric: AuditMetric) {
        metrics["\(metric.app)/\(metric.name)/\(metric.layout)"] = metric
        if let place = known.firstIndex(where: { $0.app == metric.app && $0.name == metric.name }) {
            known[place] = metric
        } else {
            known.append(metric)
        }
    }

    /// Returns the latest description of a metric; nil if there is none.
    func newest(_ name: String, of app: String) -> AuditMetric? { known.first { $0.app == app && $0.name == name } }

    /// Adds numbers of a source that names them itself, such as a release.
    ///
    /// - Parameter cost: the stated ρ for the metric and period of the first number.
    package mutating func add(_ published: [AuditNumber], from source: AuditSource, cost: Double? = nil) {
        sources.append(source)
        numbers += published
        if let first = published.first, let cost { costs["\(first.metric) \(first.period.label)"] = cost }
    }

    /// Returns the description of a number's metric, where releases chose its bound with that. A sum has one only if all of its
    /// periods chose the same.
    func metric(of number: AuditNumber) -> AuditMetric? {
        guard let metric = metrics["\(number.app)/\(number.metric)/\(number.layout)"] else { return nil }
        func bound(_ label: String) -> Int64? { bounds["\(number.app)/\(number.metric)/\(label)"] }
        // The plan in force may fix what a file's release chose.
        guard metric.choosesBound || number.layout.isEmpty && bound(number.period.label) != nil else { return metric }
        let chosen = Set(number.period.labels(of: metric.period).map(bound))
        return metric.bounded(by: chosen.count == 1 ? chosen.first ?? nil : nil)
    }
}

/// A file or a release that was read.
package struct AuditSource: Sendable, Hashable, Codable {
    package let name: String
    /// SHA-256 of its bytes, or a release's digest; nil if nobody computed it.
    package let digest: String?

    package init(name: String, digest: String? = nil) { (self.name, self.digest) = (name, digest) }
}

/// The meaning of an insight's rows.
struct AuditInsight: Sendable {
    let metric: String
    let title: String
    /// The kind as reports name it: count, reach, share and so on.
    let kind: String
    /// The bucket that a share is of; nil for other kinds.
    let part: (dimension: String, bucket: String)?
    /// The sum that a mean is of, if the source says it.
    let sum: String?
    /// The buckets that it is confined to.
    let filters: [String: String]
}

extension AuditInsight {
    /// The kinds that reports name.
    static let kinds: Set = [
        "count", "reach", "share", "mean", "distribution", "quantiles", "retention", "frequency", "funnel",
    ]

    init(_ insight: Insight) {
        var (sum, part): (String?, (dimension: String, bucket: String)?)
        if case .share(_, let filter?) = insight.kind { part = (filter.dimension.text, filter.bucket.text) }
        if case .mean(let name) = insight.kind { sum = name }
        self.init(
            metric: insight.metric.text, title: insight.title, kind: insight.kind.word, part: part, sum: sum,
            filters: Dictionary(insight.filters.map { ($0.dimension.text, $0.bucket.text) }) { $1 })
    }
}

/// A table of a page: its numbers as printed, rounded or not.
struct AuditPage: Sendable {
    let source: String
    /// The heading above it.
    let title: String
    /// Whole numbers, each with the step that it may be rounded to.
    let numbers: [(value: Double, step: Double)]
    /// Cells that hold shares, means and words, which are computed from others.
    let derived: Int
}

/// One published number, wherever it was read.
package struct AuditNumber: Sendable, Hashable {
    let source: String
    let app: String
    let metric: String
    /// A name that tells one layout of the metric from another, if the source says it.
    let layout: String
    let period: AuditPeriod
    let measure: AuditMeasure
    /// The buckets that are added up, by dimension that is kept: one, or those of a funnel's later steps too.
    let buckets: [String: Set<String>]
    /// The value as it was counted; a sampled metric's is within the sample. Unit: the measure's.
    let value: Double
    /// The half-width that was stated beside it; nil if none was.
    let margin: Double?

    package init(
        source: String, app: String, metric: String, layout: String = "", period: AuditPeriod,
        measure: AuditMeasure, buckets: [String: Set<String>] = [:], value: Double, margin: Double? = nil
    ) {
        (self.source, self.app, self.metric, self.layout) = (source, app, metric, layout)
        self.period = period
        (self.measure, self.buckets, self.value, self.margin) = (measure, buckets, value, margin)
    }

    /// The number in words: "visits devices of os=Linux in 2026-11-21 = 31".
    var text: String { "\(metric) \(measure) of \(place) in \(period.label) = \(AuditText.number(value))" }

    /// The buckets in words: "os=Linux, region=AT+DE", or "everybody".
    var place: String {
        buckets.isEmpty
            ? "everybody"
            : buckets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.sorted().joined(separator: "+"))" }
                .joined(separator: ", ")
    }

    /// The number's meaning, which is the same in every source.
    var meaning: String { "\(app) \(metric) \(layout) \(measure) \(period.label) \(place)" }
}

/// The things that a published number counts.
package enum AuditMeasure: Sendable, Hashable, CustomStringConvertible {
    /// Events, or identifiers if the metric counts these.
    case events
    case devices
    case sum(String)

    /// The name: "events", "devices", or the sum's.
    package var description: String {
        switch self {
        case .events: "events"
        case .devices: "devices"
        case .sum(let name): name
        }
    }
}

/// The time that a number covers, as reports name it: 2026-11-21T10:00, 2026-11-21, 2026-W47 or 2026-11.
package struct AuditPeriod: Sendable, Hashable, Comparable {
    package let label: String

    package init(_ label: String) { self.label = label }

    /// True if there is such a day, week or month; hours have the offset of a time zone that is not known here.
    var isReal: Bool { label.contains("T") || PeriodCalendar.utc.period(labelled: label) != nil }

    /// Orders periods of one kind by time.
    package static func < (left: Self, right: Self) -> Bool { left.label < right.label }

    var kind: PeriodKind {
        if label.contains("T") { return .hour }
        if label.contains("W") { return .week }
        return label.utf8.count > 7 ? .day : .month
    }

    /// Returns the number of shorter periods that it consists of; hours for a day on which no clock is changed.
    func parts(of base: PeriodKind) -> Double {
        guard base != kind, let whole = PeriodCalendar.utc.period(labelled: label) else { return 1 }
        let days = Double(whole.end - whole.start) / 86_400
        return max(1, (days / (base == .hour ? 1 / 24 : base == .day ? 1 : 7)).rounded())
    }

    /// Returns the labels of the shorter periods that it consists of, or its own; none of hours, which have the offset of a
    /// time zone that is not known here.
    func labels(of base: PeriodKind) -> [String] {
        if kind == base { return [label] }
        guard base != .hour, let whole = PeriodCalendar.utc.period(labelled: label) else { return [] }
        let days = stride(from: whole.start.value, to: whole.end.value, by: 86_400).map {
            PeriodCalendar.utc.period(base, containing: UnixSeconds($0))
        }
        return Set(days).map { PeriodCalendar.utc.label(of: $0) }
    }
}

/// Numbers as people read them.
enum AuditText {
    /// Returns a number with at most two decimals, and none if it is whole.
    static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let hundredths = Int64((value * 100).rounded())
        let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
