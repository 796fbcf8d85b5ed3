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
            pages += HTMLTables.read(String(decoding: bytes, as: UTF8.self), source: name)
        } else {
            unread.append("\(name): neither JSON nor CSV nor HTML")
        }
        if unread.count == before { sources.append(AuditSource(name: name, digest: digest)) }
    }

    /// Returns the name without its ending, which a report's files share.
    static func stem(_ name: String) -> String {
        name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }

    private mutating func add(report bytes: [UInt8], _ name: String) {
        let tree = JSONTree.read(bytes)
        // Manifests and other records of Throng have no numbers about people.
        if let format = tree?["format"]?.text, format.hasPrefix("throng-"), format != "throng-report/1" { return }
        guard let tree, tree["format"]?.text == "throng-report/1",
            let app = tree["app"]?["name"]?.text, let label = tree["period"]?["label"]?.text
        else {
            unread.append("\(name): not a report of format throng-report/1")
            return
        }
        literals[Self.stem(name), default: []] += tree.numbers
        for insight in tree["insights"]?.elements ?? [] where insight["status"]?.text == "answered" {
            guard let said = AuditInsight(insight), let title = insight["name"]?.text else {
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
            guard figure["status"]?.text == "published" else { return [] }
            let row = AuditRow(
                source: name, app: app, insight: insight, period: period,
                buckets: filters.merging(zip(dimensions, labels)) { $1 }, filters: filters,
                statement: basis?["statement"]?.text ?? "", value: figure["value"]?.value,
                numerator: figure["numerator"]?.value, denominator: figure["denominator"]?.value,
                sampling: basis?["sampling"]?.value ?? 1,
                margin: figure["margin"]?.value ?? within)
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
        guard let metric = tree["metric"]?.text, let kind = tree["kind"]?.text else { return nil }
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
        self.init(
            metric: metric, title: tree["title"]?.text ?? "", kind: kind, part: part, sum: nil, filters: filters)
    }
}
