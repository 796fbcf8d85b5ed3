internal import HTTPTypes
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The choice of what somebody looks at: everything that an address says, found in the catalogue.
struct ExplorerChoice: Sendable {
    let metric: AnalystMetric
    let kind: PeriodKind
    let shape: AnalystShape
    let calendar: PeriodCalendar
    let margin: AnalystMargin
    let measure: AnalystColumn
    /// The releases from the first chosen period to the last; at least one.
    let releases: [AnalystRelease]
    let filters: [AnalystQuestion.Filter]
    /// The number of the part of the rows, from 1.
    let part: Int

    /// The names that an address may have besides ``bucket``s.
    static let names = ["app", "metric", "layout", "kind", "margin", "measure", "from", "to", "part"]
    /// The prefix of a column's name where the address names its bucket.
    static let bucket = "at."

    /// The metric that an address names, and the kind of period: the metric's shortest where it names none.
    static func metric(
        in query: AddressQuery, of metrics: [AnalystMetric]
    ) throws(ExplorerProblem) -> (AnalystMetric, PeriodKind) {
        let layouts = metrics.filter { $0.app.text == query["app"] && $0.metric.text == query["metric"] }
        guard let first = layouts.first else {
            throw ExplorerProblem(
                .notFound, "There is no such metric",
                "The address has to name an app and a metric of which something is released. Possible are:",
                allowed: Self.listed(metrics))
        }
        var metric = first
        if let layout = query["layout"] {
            guard let found = layouts.first(where: { String($0.version) == layout }) else {
                throw .unknown("layout", allowed: layouts.map { String($0.version) })
            }
            metric = found
        }
        guard let kind = query["kind"] else { return (metric, metric.spans.first?.kind ?? .day) }
        guard let span = metric.spans.first(where: { $0.kind.rawValue == kind }) else {
            throw .unknown("kind", allowed: metric.spans.map(\.kind.rawValue))
        }
        return (metric, span.kind)
    }

    /// Every metric once, in the order of the catalogue.
    private static func listed(_ metrics: [AnalystMetric]) -> [String] {
        var seen: Set<String> = []
        return metrics.map { "app=\($0.app)&metric=\($0.metric)" }.filter { seen.insert($0).inserted }
    }

    /// Reads the rest of an address: what it leaves open is the last period, what is counted, and the first dimension.
    init(
        _ query: AddressQuery, _ metric: AnalystMetric, _ kind: PeriodKind, _ shape: AnalystShape
    ) throws(ExplorerProblem) {
        self.metric = metric
        self.kind = kind
        self.shape = shape
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        self.calendar = calendar
        let known = Self.names + shape.dimensions.map { Self.bucket + $0.name }
        guard query.names.allSatisfy(known.contains) else {
            throw ExplorerProblem(
                .badRequest, "This address can\u{2019}t be read",
                "It says something that has no meaning here. It may hold:", allowed: known)
        }
        if let name = query["margin"] {
            guard let found = shape.margins.first(where: { $0.name == name }) else {
                throw .unknown("margin", allowed: shape.margins.map(\.name))
            }
            margin = found
        } else {
            guard let first = shape.margins.first(where: { $0.columns.count == 1 }) ?? shape.margins.first else {
                throw ExplorerProblem(.notFound, "There is nothing to see", "Age took all numbers of this metric.")
            }
            margin = first
        }
        let asked = query["measure"] ?? shape.count?.name
        guard let measure = shape.measures.first(where: { $0.name == asked }) else {
            throw .unknown("measure", allowed: shape.measures.map(\.name))
        }
        self.measure = measure
        releases = try Self.releases(query, shape, calendar)
        var filters: [AnalystQuestion.Filter] = []
        for column in shape.dimensions {
            guard let bucket = query[Self.bucket + column.name] else { continue }
            guard margin.columns.contains(column.name) else {
                throw ExplorerProblem(
                    .badRequest, "This address can\u{2019}t be read",
                    "It asks for a bucket of a dimension that its margin is not split by. Its margin is split by:",
                    allowed: margin.columns)
            }
            guard column.buckets.contains(bucket) else {
                throw .unknown(Self.bucket + column.name, allowed: column.buckets)
            }
            filters.append(AnalystQuestion.Filter(column: column.name, bucket: bucket))
        }
        self.filters = filters
        let part = query["part"] ?? "1"
        guard let number = Int(part), number > 0, number < Self.mostParts, String(number) == part else {
            throw .unknown("part", allowed: ["1"])
        }
        self.part = number
    }

    /// More are in no address. Unit: parts.
    private static let mostParts = 1_000_000

    private static func releases(
        _ query: AddressQuery, _ shape: AnalystShape, _ calendar: PeriodCalendar
    ) throws(ExplorerProblem) -> [AnalystRelease] {
        let labels = shape.releases.map { calendar.label(of: $0.period) }
        guard let latest = labels.last else {
            throw ExplorerProblem(.notFound, "There is nothing to see", "Nothing of this metric is released yet.")
        }
        let ends = (query["from"] ?? query["to"] ?? latest, query["to"] ?? latest)
        guard let first = labels.firstIndex(of: ends.0) else {
            throw .unknown(query["from"] == nil ? "to" : "from", allowed: labels.reversed())
        }
        guard let last = labels.lastIndex(of: ends.1) else { throw .unknown("to", allowed: labels.reversed()) }
        guard first <= last else {
            throw ExplorerProblem(
                .badRequest, "The first period comes after the last",
                "\u{201c}from\u{201d} has to be the earlier one of the two, or the same.")
        }
        return Array(shape.releases[first...last])
    }

    // MARK: Questions

    /// The numbers: what is counted, and the measure where it is another one.
    var measures: [AnalystColumn] { shape.measures.filter { $0.kind == .count || $0 == measure } }

    var question: AnalystQuestion { question(margin, measures, part: part) }

    /// The whole of the rows, without the dimensions that are open; nil where it is not shown, or is the same.
    var whole: AnalystQuestion? {
        let columns = filters.map(\.column)
        guard columns != margin.columns, let whole = shape.margins.first(where: { $0.columns == columns }) else {
            return nil
        }
        return question(whole, shape.measures.filter { $0.kind == .count })
    }

    private func question(
        _ margin: AnalystMargin, _ measures: [AnalystColumn], part: Int = 1
    ) -> AnalystQuestion {
        let starts = releases.map(\.period.start)
        return AnalystQuestion(
            view: metric.view, kind: kind, margin: margin, measures: measures,
            starts: (starts.first ?? .epoch)...(starts.last ?? .epoch), filters: filters, shape: shape, part: part)
    }

    // MARK: Addresses

    /// The address of this, or of something near; another margin begins with its first part.
    func address(
        of path: String = "/explore", margin: AnalystMargin? = nil, measure: AnalystColumn? = nil, part: Int? = nil
    ) -> String {
        let part = part ?? (margin == nil ? self.part : 1)
        let margin = margin ?? self.margin
        let kept = filters.filter { margin.columns.contains($0.column) }
        return path + "?"
            + AddressQuery.text(
                fixed(margin, measure ?? self.measure) + [("from", from), ("to", to)]
                    + kept.map { (Self.bucket + $0.column, $0.bucket) }
                    + [("part", part == 1 ? nil : String(part))])
    }

    /// The address of where one starts with the same metric by another kind of period, or by another layout.
    func start(kind: PeriodKind? = nil, layout: Int64? = nil) -> String {
        "/explore?"
            + AddressQuery.text([
                ("app", metric.app.text), ("metric", metric.metric.text),
                ("layout", String(layout ?? metric.version)), ("kind", kind?.rawValue),
            ])
    }

    /// The names and values that a form about periods and buckets has to carry along.
    var carried: [(String, String?)] { fixed(margin, measure) }

    private func fixed(_ margin: AnalystMargin, _ measure: AnalystColumn) -> [(String, String?)] {
        [
            ("app", metric.app.text), ("metric", metric.metric.text), ("layout", String(metric.version)),
            ("kind", kind.rawValue), ("margin", margin.name), ("measure", measure.name),
        ]
    }

    var from: String { releases.first.map { calendar.label(of: $0.period) } ?? "" }
    var to: String { releases.last.map { calendar.label(of: $0.period) } ?? "" }

    /// A name for a file with this, and with the rows if it has not all: "rows-1-10000-of-12000".
    func fileName(_ rows: String?) -> String {
        let parts = [metric.app.text, metric.metric.text] + margin.columns + [from] + (from == to ? [] : [to])
        let plain = parts.joined(separator: "-").unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": Character(scalar)
            default: "-"
            }
        }
        return String(plain).prefix(120) + (rows.map { "-\($0)" } ?? "") + ".csv"
    }
}
