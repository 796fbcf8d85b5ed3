extension AuditInput {
    /// Reads the tables of CSV files, once plans and JSON have said what their insights are.
    ///
    /// - Complexity: O(cells).
    mutating func readTables(app: String?) {
        for (name, lines) in tables {
            guard let header = lines.first, ["insight", "period", "value", "status", "row"].allSatisfy(header.contains)
            else {
                unread.append("\(name): not a report in CSV")
                continue
            }
            literals[Self.stem(name), default: []] += lines.dropFirst().flatMap { $0 }.compactMap { Double($0) }
            var unknown: Set<String> = []
            let cut = lines.count { $0.count != header.count }
            if cut > 0 { unread.append("\(name): \(cut) lines, which are cut off or too long") }
            for line in lines.dropFirst() where line.count == header.count {
                let fields = Dictionary(zip(header, line)) { first, _ in first }.filter { !$0.value.isEmpty }
                guard fields["row"] == "group" || fields["row"] == "whole" else { continue }
                let (status, title) = (fields["status"], fields["insight"] ?? "")
                if status == "derived" || status != "published" && fields["value"] == nil { continue }
                guard status == "published", let insight = insights[title], let app, let label = fields["period"],
                    AuditPeriod(label).isReal,
                    let found = row(fields, header, insight, AuditPeriod(label), app: app, name)
                        .numbers(newest(insight.metric, of: app))
                else {
                    unknown.insert(title)
                    continue
                }
                numbers += found
            }
            for title in unknown.sorted() {
                unread.append(
                    "\(name): insight \(title), of which neither a plan nor a report in JSON says what it counts, or when"
                )
            }
        }
        tables = []
    }

    private func row(
        _ fields: [String: String], _ header: [String], _ insight: AuditInsight, _ period: AuditPeriod, app: String,
        _ name: String
    ) -> AuditRow {
        // Dimensions stand between the period and the part.
        let last = header.firstIndex(of: "part") ?? 2
        var buckets: [String: String] = [:]
        for column in header[2..<max(2, last)] {
            guard let bucket = fields[column] else { continue }
            buckets[column.hasPrefix("dimension_") ? String(column.dropFirst(10)) : column] = bucket
        }
        func number(_ column: String) -> Double? { fields[column].flatMap { Double($0) } }
        // The line of the whole has what the insight is confined to, and nothing else; a row of a share without a part
        // is divided by that.
        return AuditRow(
            source: name, app: app, insight: insight, period: period, buckets: buckets,
            filters: insight.filters.filter { buckets[$0.key] == $0.value }, statement: fields["basis"] ?? "",
            value: number("value"), numerator: number("numerator"), denominator: number("denominator"),
            sampling: number("sampling") ?? 1, margin: number("margin"))
    }
}

/// Splits comma-separated values (RFC 4180) into lines of fields.
enum CSVLines {
    /// - Complexity: O(scalars).
    static func split(_ text: String) -> [[String]] {
        var lines: [[String]] = []
        var line: [String] = []
        var field = String.UnicodeScalarView()
        var (isQuoted, wasQuote) = (false, false)
        func endField() {
            line.append(String(field))
            field = String.UnicodeScalarView()
            wasQuote = false
        }
        func endLine() {
            guard !line.isEmpty || !field.isEmpty else { return }
            endField()
            lines.append(line)
            line = []
        }
        for scalar in text.unicodeScalars {
            switch (scalar, isQuoted) {
            case ("\"", true): (isQuoted, wasQuote) = (false, true)
            case (_, true): field.append(scalar)
            case ("\"", false):
                // A second quote inside quotes stands for one.
                if wasQuote { field.append(scalar) }
                (isQuoted, wasQuote) = (true, false)
            case (",", false): endField()
            case ("\r", false): break
            case ("\n", false): endLine()
            default: field.append(scalar)
            }
        }
        endLine()
        return lines
    }
}

/// One line of an insight, in the form that JSON and CSV share.
struct AuditRow {
    let source: String
    let app: String
    let insight: AuditInsight
    let period: AuditPeriod
    /// The buckets that the insight is confined to, and the row's own.
    let buckets: [String: String]
    /// The buckets of these that the insight is confined to.
    let filters: [String: String]
    /// The statement of what is counted, as reports print it.
    let statement: String
    let value: Double?
    let numerator: Double?
    let denominator: Double?
    let sampling: Double
    let margin: Double?

    /// The measure that is counted. Identifiers and devices' own answers count as events.
    private var measure: AuditMeasure {
        statement.hasPrefix("devices") && !statement.contains("as they answer by themselves") ? .devices : .events
    }

    /// Returns the published numbers in it; nil if it can't be told what they are.
    ///
    /// - Parameter metric: the description of its metric, if known.
    func numbers(_ metric: AuditMetric?) -> [AuditNumber]? {
        func number(_ value: Double?, _ measure: AuditMeasure, _ place: [String: String], _ margin: Double? = nil)
            -> AuditNumber?
        {
            guard let value else { return nil }
            var buckets: [String: Set<String>] = [:]
            for (dimension, bucket) in place { buckets[dimension] = labels(bucket, of: dimension, metric) }
            return AuditNumber(
                source: source, app: app, metric: insight.metric, period: period, measure: measure, buckets: buckets,
                value: value, margin: margin)
        }
        var partly = buckets
        if let part = insight.part { partly[part.dimension] = part.bucket }
        switch insight.kind {
        case "quantiles": return []
        case "share":
            let bottom = insight.part == nil ? filters : buckets
            return [number(numerator, measure, partly), number(denominator, measure, bottom)].compactMap { $0 }
        case "retention":
            guard let week = retentionWeek(metric) else { return nil }
            return [
                number(numerator, measure, buckets), number(denominator, measure, buckets.merging([week: "0"]) { $1 }),
            ].compactMap { $0 }
        case "mean":
            let count = number(denominator, .events, buckets)
            guard let sum = insight.sum ?? onlySum(metric) else { return count.map { [$0] } ?? [] }
            return [count, number(numerator, .sum(sum), buckets)].compactMap { $0 }
        default:
            // The numerator of an estimate is what was counted; a value that was scaled up is not.
            guard numerator != nil || sampling == 1 || measure == .devices else { return nil }
            // The margin stated for a step need not hold for it and all later ones together.
            return [number(numerator ?? value, measure, buckets, insight.kind == "funnel" ? nil : margin)]
                .compactMap { $0 }
        }
    }

    /// Returns the buckets that a row's bucket stands for: a step of a funnel stands for the later ones, too.
    private func labels(_ bucket: String, of dimension: String, _ metric: AuditMetric?) -> Set<String> {
        guard insight.kind == "funnel", filters[dimension] == nil, let metric, let place = metric.dimension(dimension),
            metric.dimensions[place].base == nil, place == metric.dimensions.lastIndex(where: { $0.base == nil }),
            let step = metric.dimensions[place].labels.firstIndex(of: bucket)
        else { return [bucket] }
        return Set(metric.dimensions[place].labels[step...])
    }

    private func onlySum(_ metric: AuditMetric?) -> String? {
        guard let sums = metric?.sums, sums.count == 1 else { return nil }
        return sums[0].name
    }

    /// Returns the dimension that has the weeks: the row's last that no filter names.
    private func retentionWeek(_ metric: AuditMetric?) -> String? {
        let own = buckets.keys.filter { filters[$0] == nil }
        guard let metric else { return own.count == 1 ? own.first : nil }
        return metric.dimensions.last { own.contains($0.name) && $0.base == nil && $0.labels.contains("0") }?.name
    }
}
