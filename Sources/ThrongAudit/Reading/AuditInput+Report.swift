internal import Foundation

extension AuditInput {
    /// Adds a file as a partner got it: a report in JSON, CSV or HTML. Other files are named as not read.
    ///
    /// - Parameter digest: SHA-256 of the bytes, for the record.
    /// - Complexity: O(bytes).
    package mutating func add(file bytes: [UInt8], name: String, digest: String? = nil) {
        let before = unread.count
        if name.hasSuffix(".json") {
            add(report: bytes, name)
        } else if name.hasSuffix(".csv") {
            tables.append((name, CSVLines.split(String(decoding: bytes, as: UTF8.self))))
        } else if name.hasSuffix(".html") {
            let text = String(decoding: bytes, as: UTF8.self)
            let tables = HTMLTables.read(text, source: name)
            if text.contains("<html") ? !text.contains("</html>") : tables.isEmpty {
                unread.append("\(name): not a whole page of a report")
            }
            pages += tables
        } else {
            unread.append("\(name): neither JSON nor CSV nor HTML")
        }
        if unread.count == before { sources.append(AuditSource(name: name, digest: digest)) }
    }

    /// Returns the name without its ending, which a report's files share.
    static func stem(_ name: String) -> String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name }

    private mutating func add(report bytes: [UInt8], _ name: String) {
        let tree = JSONTree.read(bytes)
        // Manifests and other records of Throng have no numbers about people.
        if let format = tree?["format"]?.text, format.hasPrefix("throng-"), format != "throng-report/1" { return }
        guard let tree, tree["format"]?.text == "throng-report/1",
            let app = tree["app"]?["name"]?.text, let label = tree["period"]?["label"]?.text, AuditPeriod(label).isReal
        else {
            unread.append("\(name): not a report of format throng-report/1")
            return
        }
        literals[Self.stem(name), default: []] += tree.numbers
        for release in tree["releases"]?.elements ?? [] {
            guard let metric = release["metric"]?.text, let period = release["period"]?.text,
                let bound = release["contribution_bound"]?.value.flatMap(Int64.init(exactly:)), bound > 0
            else { continue }
            bounds["\(app)/\(metric)/\(period)"] = bound
        }
        guard let answers = tree["insights"]?.elements else {
            unread.append("\(name): a report without insights")
            return
        }
        for insight in answers where !["not_released", "expired"].contains(insight["status"]?.text) {
            guard insight["status"]?.text == "answered", let said = AuditInsight(insight),
                let title = insight["name"]?.text
            else {
                unread.append("\(name): an insight could not be read")
                continue
            }
            // The plan knows which sum a mean is of.
            let known = insights[title]?.metric == said.metric ? insights[title] ?? said : said
            insights[title] = known
            add(rows: insight, known, in: AuditPeriod(label), app: app, name)
        }
    }

    private mutating func add(
        rows tree: JSONTree, _ insight: AuditInsight, in own: AuditPeriod, app: String, _ name: String
    ) {
        let (filters, basis) = (insight.filters, tree["basis"])
        let dimensions = (tree["dimensions"]?.elements ?? []).compactMap { $0["name"]?.text }
        let within = basis?["margin"]?["within"]?.value
        if let cost = basis?["margin"]?["rho"]?.text.flatMap(Double.init) {
            costs["\(insight.metric) \(own.label)"] = cost
        }
        let metric = newest(insight.metric, of: app)
        var unknown = 0
        func take(_ figure: JSONTree, _ labels: [String], _ period: AuditPeriod) -> [AuditNumber] {
            guard figure["status"]?.text == "published" else {
                // A derived one is computed from others. Whatever else has a value says more than is known of it.
                unknown += figure["status"]?.text == "derived" || figure["value"]?.value == nil ? 0 : 1
                return []
            }
            let row = AuditRow(
                source: name, app: app, insight: insight, period: period,
                buckets: filters.merging(zip(dimensions, labels)) { $1 }, filters: filters,
                statement: basis?["statement"]?.text ?? "", value: figure["value"]?.value,
                numerator: figure["numerator"]?.value, denominator: figure["denominator"]?.value,
                sampling: basis?["sampling"]?.value ?? 1, margin: figure["margin"]?.value ?? within)
            guard let found = row.numbers(metric) else {
                unknown += 1
                return []
            }
            return found
        }
        func labels(_ row: JSONTree) -> [String] { row["buckets"]?.elements.compactMap(\.text) ?? [] }
        let isTrend = tree["view"]?["as"]?.text == "trend"
        if !isTrend {
            for row in tree["rows"]?.elements ?? [] { numbers += take(row, labels(row), own) }
            if let whole = tree["whole"], !whole.isNull, insight.kind != "retention" { numbers += take(whole, [], own) }
        }
        for point in tree["points"]?.elements ?? [] {
            guard let label = point["period"]?["label"]?.text else { continue }
            for row in point["rows"]?.elements ?? [] { numbers += take(row, labels(row), AuditPeriod(label)) }
        }
        for comparison in tree["comparisons"]?.elements ?? [] {
            guard let label = comparison["period"]?["label"]?.text else { continue }
            for row in comparison["rows"]?.elements ?? [] {
                if let earlier = row["earlier"] { numbers += take(earlier, labels(row), AuditPeriod(label)) }
            }
        }
        if unknown > 0 {
            unread.append("\(name): \(unknown) numbers of \(insight.title), which say not what they count")
        }
    }
}

extension AuditInsight {
    /// Reads what a report in JSON says of an insight.
    fileprivate init?(_ tree: JSONTree) {
        guard let metric = tree["metric"]?.text, let kind = tree["kind"]?.text, Self.kinds.contains(kind) else {
            return nil
        }
        var part: (dimension: String, bucket: String)?
        if let dimension = tree["part"]?["dimension"]?.text, let bucket = tree["part"]?["bucket"]?.text {
            part = (dimension, bucket)
        }
        var filters: [String: String] = [:]
        for filter in tree["filters"]?.elements ?? [] {
            if let dimension = filter["dimension"]?.text, let bucket = filter["bucket"]?.text {
                filters[dimension] = bucket
            }
        }
        self.init(metric: metric, title: tree["title"]?.text ?? "", kind: kind, part: part, sum: nil, filters: filters)
    }
}

/// A JSON value (RFC 8259).
enum JSONTree: Sendable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// Reads a JSON value; nil if the bytes are not exactly one.
    static func read(_ bytes: [UInt8]) -> JSONTree? { try? JSONDecoder().decode(JSONTree.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // One shape after the other is tried; an error says that it is another.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    /// The value of a key; nil if this is no object or has no such key.
    subscript(_ key: String) -> JSONTree? { if case .object(let members) = self { members[key] } else { nil } }

    var text: String? { if case .string(let text) = self { text } else { nil } }
    var value: Double? { if case .number(let value) = self { value } else { nil } }
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
    var isNull: Bool { if case .null = self { true } else { false } }

    /// Every number in it, however deep.
    var numbers: [Double] {
        switch self {
        case .number(let value): [value]
        case .array(let elements): elements.flatMap(\.numbers)
        case .object(let members): members.values.flatMap(\.numbers)
        case .null, .bool, .string: []
        }
    }
}

/// The tables of a report's page: headings and numbers, and nothing of the rest.
enum HTMLTables {
    /// - Complexity: O(scalars · tables).
    static func read(_ text: String, source: String) -> [AuditPage] {
        var pages: [AuditPage] = []
        var rest = text[...]
        while let table = between("<table", "</table>", in: rest) {
            rest = text[table.end...]
            guard let caption = between("<caption>", "</caption>", in: table.inside) else { continue }
            var cells: [String] = []
            var body = text[caption.end..<table.inside.endIndex]
            while let cell = between("<td", "</td>", in: body) {
                body = text[cell.end..<table.inside.endIndex]
                cells.append(plain(cell.inside.drop { $0 != ">" }.dropFirst()))
            }
            let numbers = cells.map { number($0) }
            pages.append(
                AuditPage(
                    source: source, title: plain(caption.inside), numbers: numbers.compactMap { $0 },
                    derived: numbers.count { $0 == nil }))
        }
        return pages
    }

    private static func between(
        _ start: String, _ end: String, in text: Substring
    ) -> (inside: Substring, end: String.Index)? {
        guard let from = text.firstRange(of: start)?.upperBound,
            let to = text[from...].firstRange(of: end)
        else { return nil }
        return (text[from..<to.lowerBound], to.upperBound)
    }

    /// Returns the text without tags, and with the few entities of a page decoded.
    private static func plain(_ text: Substring) -> String {
        var (result, isTag) = ("", false)
        for character in text {
            if character == "<" { isTag = true }
            if !isTag { result.append(character) }
            if character == ">" { isTag = false }
        }
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            result = result.replacing(entity, with: character)
        }
        return result
    }

    /// Reads a whole number in groups of three digits, and the step that it may be rounded to: the place of its last
    /// digit that is not 0. A word such as "about" may stand before it, a margin after it. "119 to 147" is no number.
    private static func number(_ text: String) -> (value: Double, step: Double)? {
        let number = /(?:\p{L}+ )*([0-9]{1,3}(?:[ ,.'’\u{A0}\u{202F}][0-9]{3})+|[0-9]+)(?: \p{L}+)*(?: ?±.*)?/
        guard let found = text.wholeMatch(of: number)?.1, let value = Double(found.filter(\.isNumber)) else {
            return nil
        }
        var step = 1.0
        while value > 0, step <= value, value.truncatingRemainder(dividingBy: step * 10) == 0 { step *= 10 }
        return (value, step)
    }
}
