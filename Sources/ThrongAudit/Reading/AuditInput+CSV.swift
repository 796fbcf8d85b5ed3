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
            for line in lines.dropFirst() where line.count == header.count {
                let fields = Dictionary(zip(header, line)) { first, _ in first }.filter { !$0.value.isEmpty }
                guard fields["status"] == "published", fields["row"] == "group" || fields["row"] == "whole" else {
                    continue
                }
                let title = fields["insight"] ?? ""
                guard let insight = insights[title], let app, let label = fields["period"],
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
                    "\(name): insight \(title), of which neither a plan nor a report in JSON says what it counts")
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
