/// One insight of a report, as an attacker reads it.
struct ReportInsight {
    let source: String
    let app: String
    let metric: String
    let period: AuditPeriod
    let threshold: Int64
    let kind: String
    let name: String
    /// The dimensions by which the rows are split, with all of their buckets.
    let dimensions: [AuditPlan.Dimension]
    private let filters: [String: String]
    private let part: (dimension: String, bucket: String)?
    private let rows: [JSONTree]
    private let tree: JSONTree
    private let counted: AuditMeasure
    private let summed: AuditMeasure
    private let unit: String

    init?(
        _ tree: JSONTree, source: String, app: String, metric: String, period: AuditPeriod, threshold: Int64
    ) {
        guard let name = tree["name"]?.text, let kind = tree["kind"]?.text else { return nil }
        self.tree = tree
        self.source = source
        self.app = app
        self.metric = metric
        self.period = period
        self.threshold = threshold
        self.kind = kind
        self.name = name
        unit = tree["unit"]?.text ?? ""
        // Identifiers add up like events.
        counted = kind == "reach" || tree["basis"]?["counts"]?.text == "devices" ? .reach : .count
        // A report names the unit of a mean, not its sum; the plan's sums differ by unit more often than not.
        summed = .sum(unit)
        var filters: [String: String] = [:]
        for filter in tree["filters"]?.elements ?? [] {
            guard let dimension = filter["dimension"]?.text, let bucket = filter["bucket"]?.text else { return nil }
            filters[dimension] = bucket
        }
        self.filters = filters
        dimensions = (tree["dimensions"]?.elements ?? []).compactMap { dimension in
            dimension["name"]?.text.map {
                AuditPlan.Dimension(name: $0, elements: (dimension["buckets"]?.elements ?? []).compactMap(\.text))
            }
        }
        if let part = tree["part"], let dimension = part["dimension"]?.text, let bucket = part["bucket"]?.text {
            self.part = (dimension, bucket)
        } else {
            part = nil
        }
        rows = tree["rows"]?.elements ?? []
    }

    private func region(_ buckets: [String], withPart: Bool = false) -> AuditRegion {
        var all = filters
        for (dimension, bucket) in zip(dimensions, buckets) { all[dimension.name] = bucket }
        if withPart, let part { all[part.dimension] = part.bucket }
        return AuditRegion(
            period: period, slices: all.map { .init(dimension: $0.key, labels: labels($0.value, of: $0.key)) })
    }

    /// A step of a funnel stands for the later ones, too.
    private func labels(_ bucket: String, of dimension: String) -> [String] {
        guard kind == "funnel", let steps = dimensions.last, steps.name == dimension,
            let place = steps.elements.firstIndex(of: bucket)
        else { return [bucket] }
        return Array(steps.elements[place...])
    }

    private var base: AuditRegion { AuditRegion(period: period, buckets: filters) }

    private func buckets(of row: JSONTree) -> [String] { row["buckets"]?.elements.compactMap(\.text) ?? [] }

    // MARK: what is shown

    /// The tables behind the insight: its rows, its whole, and for shares the parts.
    var families: [AuditFamily] {
        let fixed = filters.map { AuditFamily.Axis(dimension: $0.key, alternatives: [[$0.value]]) }
        let split = dimensions.map { dimension in
            AuditFamily.Axis(
                dimension: dimension.name, alternatives: dimension.elements.map { labels($0, of: dimension.name) })
        }
        let measures: [AuditMeasure] = kind == "mean" ? [.count, summed] : [counted]
        var tables = [fixed + split]
        if let part {
            tables.append(fixed + split + [.init(dimension: part.dimension, alternatives: [[part.bucket]])])
        }
        return tables.map {
            AuditFamily(
                source: source, app: app, metric: metric, measures: measures, period: period, threshold: threshold,
                axes: $0)
        }
    }

    // MARK: what is said

    /// Every number of the insight.
    var statements: [AuditStatement] {
        var result = rows.flatMap { statements(of: $0, buckets: buckets(of: $0)) }
        if let whole = tree["whole"], !whole.isNull { result += statements(of: whole, buckets: []) }
        if let share = tree["withheld_share"]?.digits { result += withheldShare(share) }
        if let rest = tree["rest"]?["value"]?.digits { result += self.rest(rest) }
        return result
    }

    /// Combinations of buckets of which the report itself says that they cannot occur.
    var structuralZeros: [AuditPlan.StructuralZero] {
        rows.filter(isImpossible).map { .init(metric: metric, slices: region(buckets(of: $0)).slices) }
    }

    private var isRanking: Bool { tree["view"]?["as"]?.text == "ranking" }

    private func isImpossible(_ row: JSONTree) -> Bool { row["status"]?.text == "impossible" }

    private func plain(_ measure: AuditMeasure, _ region: AuditRegion, _ value: Int64) -> AuditStatement {
        AuditStatement(source: source, app: app, metric: metric, measure: measure, region: region, value: value)
    }

    private func statements(of figure: JSONTree, buckets: [String]) -> [AuditStatement] {
        let whole = region(buckets)
        let value = figure["value"]?.digits
        let numerator = figure["numerator"]?.digits.flatMap(FixedPoint.init)
        let denominator = figure["denominator"]?.digits.flatMap { Int64($0) }
        switch kind {
        case "share":
            // Of a share without a part, each row is divided by the whole; with one, the row's part by the row.
            let top = region(buckets, withPart: true)
            let bottom = part == nil ? base : whole
            var result = denominator.map { [plain(counted, bottom, $0)] } ?? []
            if let amount = numerator?.scaled(to: 0) { result.append(plain(counted, top, amount)) }
            if numerator == nil, let value {
                result +=
                    AuditQuotient(
                        source: source, app: app, numerator: [.init(metric: metric, measure: counted, region: top)],
                        denominator: .init(metric: metric, measure: counted, region: bottom), value: value, scale: 1
                    ).statements
            }
            return result
        case "retention":
            // Each week's answers over those of week 0.
            let start = region(Array(buckets.dropLast()) + ["0"])
            return (denominator.map { [plain(counted, start, $0)] } ?? [])
                + (numerator?.scaled(to: 0).map { [plain(counted, whole, $0)] } ?? [])
        case "mean":
            var result = denominator.map { [plain(.count, whole, $0)] } ?? []
            if let amount = numerator?.scaled(to: 6) { result.append(plain(summed, whole, amount)) }
            if numerator == nil || denominator == nil, let value {
                result +=
                    AuditQuotient(
                        source: source, app: app, numerator: [.init(metric: metric, measure: summed, region: whole)],
                        denominator: .init(metric: metric, measure: .count, region: whole), value: value,
                        scale: 1_000_000
                    ).statements
            }
            return result
        default:
            // Of an estimate, the numerator is what was counted.
            let amount = numerator ?? value.flatMap(FixedPoint.init)
            return amount?.scaled(to: 0).map { [plain(counted, whole, $0)] } ?? []
        }
    }

    /// The whole less the published rows, where it is a number of events: quotients print their terms.
    private func rest(_ value: String) -> [AuditStatement] {
        let counted = tree["rest"]?["numerator"]?.digits ?? value
        guard ["count", "distribution", "frequency"].contains(kind), let rest = Int64(counted) else { return [] }
        let parts = published.map {
            AuditStatement.Term(coefficient: -1, metric: $0.metric, measure: $0.measure, region: $0.region)
        }
        return [
            AuditStatement(
                source: source, text: "\(metric) count of \(base) less the published rows = \(rest)", app: app,
                terms: [AuditStatement.Term(metric: metric, measure: .count, region: base)] + parts, lower: rest,
                upper: rest)
        ]
    }

    private var published: [AuditStatement.Term] {
        rows.filter { $0["value"]?.digits != nil }.map {
            AuditStatement.Term(metric: metric, measure: .count, region: region(buckets(of: $0)))
        }
    }

    /// 1 − share = the published rows' events over the whole's, which may be printed nowhere else.
    private func withheldShare(_ share: String) -> [AuditStatement] {
        guard let printed = FixedPoint(share), counted == .count else { return [] }
        var one: Int64 = 1
        for _ in 0..<min(printed.places, 9) { one *= 10 }
        guard printed.places <= 9, printed.digits <= one else { return [] }
        let rest = String(one - printed.digits)
        let digits = String(repeating: "0", count: max(0, printed.places + 1 - rest.utf8.count)) + rest
        // A ranking does not print all of the rows that it covers.
        let covered = isRanking ? [] : published
        guard !covered.isEmpty else { return [] }
        return AuditQuotient(
            source: source, app: app, numerator: covered,
            denominator: .init(metric: metric, measure: .count, region: base),
            value: printed.places == 0 ? digits : "\(digits.dropLast(printed.places)).\(digits.suffix(printed.places))",
            scale: 1
        ).statements
    }

    // MARK: what the form says

    /// Whether withheld rows can be told apart by their members, or rows are missing or out of the plan's order.
    var tells: [AuditFinding] {
        var found: [AuditFinding] = []
        func tell(_ explanation: String) {
            found.append(
                AuditFinding(
                    kind: .marker, severity: .pin, app: app, metric: metric, measure: counted,
                    target: "insight \(name) in \(source)", lower: nil, upper: nil, threshold: threshold,
                    certificates: [], explanation: explanation))
        }
        let withheld = rows.filter { $0["value"]?.digits == nil && !isImpossible($0) }
        let forms = Set(
            withheld.map { row in
                row.keys.filter { $0 != "buckets" }.map { "\($0)=\(row[$0] ?? .null)" }
            })
        if forms.count > 1 {
            tell("\(withheld.count) withheld rows are written in \(forms.count) ways, which tells them apart")
        }
        let wanted = dimensions.reduce([[]]) { partial, dimension in
            partial.flatMap { head in dimension.elements.map { head + [$0] } }
        }
        let shown = rows.map(buckets)
        if isRanking {
            // Rows that are not named may be published or withheld; those that are named are numbers, the largest first.
            let values = rows.compactMap { $0["value"]?.digits.flatMap(Double.init) }
            if values.count < rows.count { tell("a withheld row has a rank: its place says how large it is") }
            if zip(values, values.dropFirst()).contains(where: { $0 < $1 }) {
                tell("the rows of a ranking do not stand in the order of their numbers")
            }
            return found
        }
        if Set(shown).count < wanted.count {
            tell(
                "\(wanted.count - Set(shown).count) of \(wanted.count) rows are missing: absence tells them apart from withheld ones"
            )
        } else if shown != wanted {
            tell("the rows do not stand in the order of the buckets: their order says which is larger")
        }
        return found
    }
}
