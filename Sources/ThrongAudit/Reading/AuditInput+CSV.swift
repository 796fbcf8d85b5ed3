extension AuditInput {
    /// Adds an export of released cells: a line a cell, RFC 4180, with a header.
    ///
    /// Columns: `app`, `metric`, `period_start`, `period_end` (Unix seconds or "2026-11-15T23:00:00Z"), `k`, `count`, and
    /// where shown `reach`; `sum:NAME` in the sum's unit; every other column is a dimension, empty being summed out. A
    /// line without a count is a withheld cell that was listed. Labels that neither the plan nor any line names cannot
    /// be targets: add the plan first.
    /// - Complexity: O(bytes).
    package mutating func add(csv text: String, name: String) {
        let lines = CSVLines.split(text)
        guard let header = lines.first,
            ["app", "metric", "period_start", "period_end", "k", "count"].allSatisfy(header.contains)
        else {
            unread.append(
                "\(name): no export of released cells: its header lacks app, metric, period_start, period_end, k or count"
            )
            return
        }
        sources.append(name)
        let fixed: Set<String> = ["app", "metric", "period_start", "period_end", "k", "count", "reach"]
        let sums = header.filter { $0.hasPrefix("sum:") }
        let dimensions = header.filter { !fixed.contains($0) && !$0.hasPrefix("sum:") }
        var tables: [CSVTable: [String: Set<String>]] = [:]
        for (number, line) in lines.dropFirst().enumerated() {
            guard line.count == header.count else {
                unread.append("\(name): line \(number + 2) has \(line.count) fields, not \(header.count)")
                continue
            }
            let fields = Dictionary(zip(header, line)) { first, _ in first }
            guard let app = fields["app"], let metric = fields["metric"], let k = fields["k"].flatMap({ Int64($0) }),
                let start = fields["period_start"].flatMap(Instant.seconds),
                let end = fields["period_end"].flatMap(Instant.seconds), start < end
            else {
                unread.append("\(name): line \(number + 2) has no k or period")
                continue
            }
            var buckets: [String: String] = [:]
            for dimension in dimensions {
                if let label = fields[dimension], !label.isEmpty { buckets[dimension] = label }
            }
            let period = AuditPeriod(start: start, end: end)
            let measures =
                [AuditMeasure.count] + sums.map { .sum(String($0.dropFirst(4))) }
                + (header.contains("reach") ? [.reach] : [])
            let table = CSVTable(
                app: app, metric: metric, period: period, threshold: k, measures: measures, kept: buckets.keys.sorted())
            for (dimension, label) in buckets { tables[table, default: [:]][dimension, default: []].insert(label) }
            if buckets.isEmpty { tables[table] = [:] }
            let region = AuditRegion(period: period, buckets: buckets)
            func state(_ measure: AuditMeasure, _ value: Int64?) {
                guard let value else { return }
                statements.append(
                    AuditStatement(
                        source: name, app: app, metric: metric, measure: measure, region: region, value: value))
            }
            state(.count, fields["count"].flatMap { Int64($0) })
            state(.reach, fields["reach"].flatMap { Int64($0) })
            for sum in sums {
                state(.sum(String(sum.dropFirst(4))), fields[sum].flatMap(FixedPoint.init)?.scaled(to: 6))
            }
        }
        for (table, labels) in tables.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            families.append(
                AuditFamily(
                    source: name, app: table.app, metric: table.metric, measures: table.measures, period: table.period,
                    threshold: table.threshold,
                    axes: table.kept.map { dimension in
                        let declared = plan.dimensions.first { $0.name == dimension }?.elements
                        return .init(
                            dimension: dimension,
                            alternatives: (declared ?? (labels[dimension] ?? []).sorted()).map { [$0] })
                    }))
        }
    }

    private struct CSVTable: Hashable {
        let app: String
        let metric: String
        let period: AuditPeriod
        let threshold: Int64
        let measures: [AuditMeasure]
        let kept: [String]
    }
}

/// Splits comma-separated values (RFC 4180) into lines of fields.
enum CSVLines {
    /// - Complexity: O(scalars).
    static func split(_ text: String) -> [[String]] {
        var lines: [[String]] = []
        var line: [String] = []
        var field = String.UnicodeScalarView()
        var isQuoted = false
        var wasQuote = false
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
            if isQuoted {
                if scalar == "\"" {
                    isQuoted = false
                    wasQuote = true
                } else {
                    field.append(scalar)
                }
                continue
            }
            switch scalar {
            case "\"":
                // A second quote inside quotes stands for one.
                if wasQuote { field.append(scalar) }
                isQuoted = true
                wasQuote = false
            case ",": endField()
            case "\r": break
            case "\n": endLine()
            default: field.append(scalar)
            }
        }
        endLine()
        return lines
    }
}
