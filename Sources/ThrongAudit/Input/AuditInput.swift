package import ThrongPlan
import ThrongWire

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
    /// The bounds that releases chose, by app, metric and period, as reports state them. Unit: events of an identifier in a window.
    var bounds: [String: Int64] = [:]
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

    func metric(of number: AuditNumber) -> AuditMetric? {
        let metric = metrics["\(number.app)/\(number.metric)/\(number.layout)"]
        let bound = bounds["\(number.app)/\(number.metric)/\(number.period.label)"]
        return bound.map { metric?.bounded(by: $0) } ?? metric
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
        var (kind, sum): (String, String?) = ("count", nil)
        var part: (dimension: String, bucket: String)?
        switch insight.kind {
        case .count: break
        case .reach: kind = "reach"
        case .share(_, let filter):
            kind = "share"
            part = filter.map { ($0.dimension.text, $0.bucket.text) }
        case .mean(let name): (kind, sum) = ("mean", name)
        case .distribution: kind = "distribution"
        case .quantiles: kind = "quantiles"
        case .retention: kind = "retention"
        case .frequency: kind = "frequency"
        case .funnel: kind = "funnel"
        }
        self.init(
            metric: insight.metric.text, title: insight.title, kind: kind, part: part, sum: sum,
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
