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
    /// The measures of its rows, and the one that is drawn.
    let measures: [AnalystColumn]
    let measure: AnalystColumn
    /// The measure that puts rows in order; nil where periods and the plan do.
    let order: AnalystColumn?
    /// The metric of the same app whose counts these are divided by.
    let over: MetricName?
    /// The releases from the first chosen period to the last; at least one.
    let releases: [AnalystRelease]
    let filters: [AnalystQuestion.Filter]
    /// The number of the part of the rows, from 1.
    let part: Int

    /// The names that an address may have besides ``bucket``s.
    static let names = [
        "app", "metric", "layout", "kind", "grouping", "measure", "from", "to", "last", "sort", "over", "part",
        "format",
    ]
    /// The prefix of a column's name where the address names its bucket.
    static let bucket = "at."

    /// The metric that an address names, and the kind of period: the metric's shortest where it names none. An address
    /// names no app where one app alone has the metric.
    static func metric(in query: AddressQuery, of metrics: [AnalystMetric]) throws(ExplorerProblem) -> (
        AnalystMetric, PeriodKind
    ) {
        let named = metrics.filter { $0.metric.text == query["metric"] }
        let layouts = named.filter { $0.app.text == query["app"] ?? $0.app.text }
        guard let first = layouts.first, Set(layouts.map(\.app)).count == 1 else {
            throw ExplorerProblem(.metric, allowed: Self.listed(metrics))
        }
        var metric = first
        if let layout = query["layout"] {
            guard let found = layouts.first(where: { String($0.version) == layout }) else {
                throw .unknown("layout", allowed: layouts.map { String($0.version) })
            }
            metric = found
        }
        guard let kind = query["kind"] else { return (metric, metric.spans.first?.kind ?? .day) }
        guard let found = metric.kinds.first(where: { $0.rawValue == kind }) else {
            throw .unknown("kind", allowed: metric.kinds.map(\.rawValue))
        }
        return (metric, found)
    }

    /// Every metric once, in the order of the catalogue.
    private static func listed(_ metrics: [AnalystMetric]) -> [String] {
        var seen: Set<String> = []
        return metrics.map { "app=\($0.app)&metric=\($0.metric)" }.filter { seen.insert($0).inserted }
    }

    /// Reads the rest of an address: what it leaves open is the last period, what is counted, and the first dimension.
    init(_ query: AddressQuery, _ metric: AnalystMetric, _ kind: PeriodKind, _ shape: AnalystShape)
        throws(ExplorerProblem)
    {
        self.metric = metric
        self.kind = kind
        self.shape = shape
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        self.calendar = calendar
        let known = Self.names + shape.dimensions.map { Self.bucket + $0.name }
        guard query.names.allSatisfy(known.contains) else { throw ExplorerProblem(.meaning, allowed: known) }
        let margin = try Self.grouping(query["grouping"], shape)
        self.margin = margin
        let measures = shape.measures(of: margin)
        self.measures = measures
        func measure(_ name: String) throws(ExplorerProblem) -> AnalystColumn? {
            guard let asked = query[name] else { return nil }
            guard let found = measures.first(where: { $0.name == asked }) else {
                throw .unknown(name, allowed: measures.map(\.name))
            }
            return found
        }
        // Of a funnel people ask who came as far.
        let usual = measures.first { if case .reached = $0.kind { true } else { false } } ?? shape.count
        guard let drawn = try measure("measure") ?? usual else { throw .unknown("measure", allowed: []) }
        (self.measure, order) = (drawn, try measure("sort"))
        over = query["over"].map { MetricName($0) }
        releases = try Self.releases(query, shape, calendar)
        var filters: [AnalystQuestion.Filter] = []
        for column in shape.dimensions {
            guard let bucket = query[Self.bucket + column.name] else { continue }
            guard margin.columns.contains(column.name) else { throw ExplorerProblem(.bucket, allowed: margin.columns) }
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

    private static func grouping(_ name: String?, _ shape: AnalystShape) throws(ExplorerProblem) -> AnalystMargin {
        let all = shape.margins
        guard let name else {
            let single = all.first { $0.columns.count == 1 && $0.isTold }
            guard let first = single ?? all.first(where: { $0.columns.isEmpty }) ?? all.first else {
                throw ExplorerProblem(.empty)
            }
            return first
        }
        guard let found = all.first(where: { $0.name == name }) else {
            throw .unknown("grouping", allowed: all.map(\.name))
        }
        return found
    }

    /// The releases from `from` to `to`, or so many up to `to`; without any of them the latest one.
    private static func releases(_ query: AddressQuery, _ shape: AnalystShape, _ calendar: PeriodCalendar)
        throws(ExplorerProblem) -> [AnalystRelease]
    {
        let labels = shape.releases.map { calendar.label(of: $0.period) }
        guard let latest = labels.last else { throw ExplorerProblem(.empty) }
        func place(_ name: String, or other: String) throws(ExplorerProblem) -> Int {
            guard let place = labels.firstIndex(of: query[name] ?? other) else {
                throw .unknown(name, allowed: labels.reversed())
            }
            return place
        }
        let last = try place("to", or: latest)
        guard let asked = query["last"] else {
            let first = try place("from", or: labels[last])
            guard first <= last else { throw ExplorerProblem(.order) }
            return Array(shape.releases[first...last])
        }
        guard query["from"] == nil, let count = Int(asked), count > 0, String(count) == asked else {
            throw ExplorerProblem(.last)
        }
        return Array(shape.releases[...last].suffix(count))
    }

    // MARK: Questions

    var question: AnalystQuestion { question(margin, measures, releases, order: order, part: part) }

    /// The whole of the rows, without the dimensions that are open; nil where it is not shown, or is the same.
    var whole: AnalystQuestion? {
        let columns = filters.map(\.column)
        guard columns != margin.columns, let whole = shape.margins.first(where: { $0.columns == columns }) else {
            return nil
        }
        return question(whole, counts, releases)
    }

    /// The totals of a table of two dimensions and one period, by one of them and by neither, as far as they are published.
    var edges: [AnalystQuestion] {
        let confined = filters.map(\.column)
        let open = margin.columns.filter { !confined.contains($0) }
        guard open.count == 2, releases.count == 1 else { return [] }
        return [[open[0]], [open[1]], []].compactMap { kept in
            let columns = margin.columns.filter { (confined + kept).contains($0) }
            let total = shape.margins.first { $0.columns == columns && shape.measures(of: $0).contains(measure) }
            return total.map { question($0, [measure], releases) }
        }
    }

    /// The rows that some rows are changes from and that are not among them: of the period before their first one; and
    /// of those whose other rows are in other parts. Nil where nothing of it is released.
    func before(_ rows: [AnalystRow], isWhole: Bool) -> AnalystQuestion? {
        let shown = released(rows)
        guard let first = shown.first, let place = shape.releases.firstIndex(of: first) else { return nil }
        let earlier = shape.releases[..<place].suffix(1).filter { $0.period.end == first.period.start }
        let split = isWhole ? [] : order == nil ? [first] : shown
        return earlier.isEmpty && split.isEmpty ? nil : question(margin, counts, earlier + split)
    }

    /// The releases from the first that rows are of to the last; all that were chosen where there are no rows.
    private func released(_ rows: [AnalystRow]) -> [AnalystRelease] {
        let starts = rows.map(\.start)
        guard let first = starts.min(), let last = starts.max() else { return releases }
        return releases.filter { (first...last).contains($0.period.start) }
    }

    /// The counts of rows of another metric, which these are divided by.
    func question(over other: AnalystMetric, _ shape: AnalystShape, of rows: [AnalystRow]) throws(ExplorerProblem)
        -> AnalystQuestion
    {
        guard let margin = shape.margins.first(where: { Set($0.columns) == Set(self.margin.columns) }) else {
            throw ExplorerProblem(.split, allowed: shape.margins.map(\.name))
        }
        let rates = Set((self.shape.releases + shape.releases).map(\.sampling))
        guard rates.count == 1 else { throw ExplorerProblem(.sampling) }
        return AnalystQuestion(
            margin: margin, measures: shape.measures.filter { $0.kind == .count }, starts: Self.starts(released(rows)),
            filters: filters, shape: shape)
    }

    /// The other metrics of the app that have this one's dimensions and kind of period.
    func partners(among metrics: [AnalystMetric]) -> [AnalystMetric] {
        let own = margin.columns.compactMap(shape.dimension).map(\.kind)
        return metrics.filter { other in
            let theirs = other.dimensions.map { AnalystColumn.Kind.dimension($0) }
            return other.app == metric.app && other.metric != metric.metric && other.isCurrent
                && own.allSatisfy { theirs.contains($0) } && other.kinds.contains(kind)
        }
    }

    private var counts: [AnalystColumn] { shape.measures.filter { $0.kind == .count } }

    private func question(
        _ margin: AnalystMargin, _ measures: [AnalystColumn], _ releases: [AnalystRelease], order: AnalystColumn? = nil,
        part: Int = 1
    ) -> AnalystQuestion {
        AnalystQuestion(
            margin: margin, measures: measures, starts: Self.starts(releases), filters: filters, shape: shape,
            order: order, part: part)
    }

    private static func starts(_ releases: [AnalystRelease]) -> ClosedRange<UnixSeconds> {
        // The last second holds the last day of a sum, and the start of no other period.
        (releases.first?.period.start ?? .epoch)...(releases.last.map { $0.period.end - 1 } ?? .epoch)
    }

    // MARK: Addresses

    /// The part of an address that leads to something near when it is changed.
    struct Near {
        var margin: AnalystMargin
        var measure: AnalystColumn?
        var order: AnalystColumn?
        var over: MetricName?
        var from: String
        var to: String
        var part: Int
    }

    /// The address of this, or of something near. Rows of another grouping or in another order begin with their first
    /// part, and have the measures and buckets that are left.
    func address(of path: String = "/explore", format: String? = nil, _ change: (inout Near) -> Void = { _ in })
        -> String
    {
        var near = Near(margin: margin, measure: measure, order: order, over: over, from: from, to: to, part: part)
        change(&near)
        if near.margin != margin || near.order != order { near.part = 1 }
        return path + "?"
            + AddressQuery.text(
                fixed(near) + [("from", near.from), ("to", near.to)]
                    + filters.filter { near.margin.columns.contains($0.column) }.map {
                        (Self.bucket + $0.column, $0.bucket)
                    } + [("part", near.part == 1 ? nil : String(near.part)), ("format", format)])
    }

    /// The address of the same numbers for programs, and as a file.
    func numbers(format: String? = nil, part: Int? = nil) -> String {
        address(of: "/v1/numbers/\(metric.metric)", format: format) { $0.part = part ?? self.part }.replacing(
            "&metric=\(metric.metric)", with: "")
    }

    /// The address of where one starts with the same metric by another kind of period, or by another layout.
    func start(kind: PeriodKind? = nil, layout: Int64? = nil) -> String {
        "/explore?"
            + AddressQuery.text([
                ("app", metric.app.text), ("metric", metric.metric.text), ("layout", String(layout ?? metric.version)),
                ("kind", kind?.rawValue),
            ])
    }

    /// The names and values that a form about periods and buckets has to carry along.
    var carried: [(String, String?)] {
        fixed(Near(margin: margin, measure: measure, order: order, over: over, from: from, to: to, part: 1))
    }

    private func fixed(_ near: Near) -> [(String, String?)] {
        let measures = shape.measures(of: near.margin)
        func left(_ measure: AnalystColumn?) -> String? { measure.flatMap { measures.contains($0) ? $0.name : nil } }
        return [
            ("app", metric.app.text), ("metric", metric.metric.text), ("layout", String(metric.version)),
            ("kind", kind.rawValue), ("grouping", near.margin.name), ("measure", left(near.measure)),
            ("sort", left(near.order)), ("over", near.over?.text),
        ]
    }

    var from: String { releases.first.map { calendar.label(of: $0.period) } ?? "" }
    var to: String { releases.last.map { calendar.label(of: $0.period) } ?? "" }

    /// A name for a file with this, and with the rows if it has not all: "rows-1-10000-of-12000".
    func fileName(_ rows: String?, _ ending: String) -> String {
        let parts = [metric.app.text, metric.metric.text] + margin.columns + [from] + (from == to ? [] : [to])
        let plain = parts.joined(separator: "-").unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": Character(scalar)
            default: "-"
            }
        }
        return String(plain).prefix(120) + (rows.map { "-\($0)" } ?? "") + ".\(ending)"
    }
}
