extension AuditInput {
    /// Adds a partner's report, byte by byte as it was delivered (Schema/report.schema.json).
    ///
    /// Reads every number, also those that only stand as numerator, denominator, whole, withheld share or rest, and looks at
    /// the file's form: what tells two withheld rows apart is a finding.
    /// - Complexity: O(bytes).
    public mutating func add(report bytes: [UInt8], name: String) {
        guard let tree = JSONReader.read(bytes), tree["format"]?.text == "throng-report/1" else {
            unread.append("\(name): not a report of format throng-report/1")
            return
        }
        guard let app = tree["app"]?["name"]?.text,
            let start = tree["period"]?["start"]?.text.flatMap(Instant.seconds),
            let end = tree["period"]?["end"]?.text.flatMap(Instant.seconds), start < end
        else {
            unread.append("\(name): without an app or a period")
            return
        }
        sources.append(name)
        var thresholds: [String: Int64] = [:]
        for release in tree["releases"]?.elements ?? [] {
            if let metric = release["metric"]?.text { thresholds[metric] = release["k"]?.digits.flatMap { Int64($0) } }
        }
        for insight in tree["insights"]?.elements ?? [] {
            // A noisy number pins nothing: it is no equation over what was counted.
            guard let metric = insight["metric"]?.text, insight["status"]?.text == "answered",
                insight["basis"]?["noise"].map(\.isNull) ?? true
            else { continue }
            guard
                let reading = ReportInsight(
                    insight, source: name, app: app, metric: metric, period: AuditPeriod(start: start, end: end),
                    threshold: insight["basis"]?["k"]?.digits.flatMap { Int64($0) } ?? thresholds[metric] ?? 5)
            else {
                unread.append("\(name): insight \(insight["name"]?.text ?? "without a name") could not be read")
                continue
            }
            for dimension in reading.dimensions { declare(dimension) }
            families += reading.families
            statements += reading.statements
            tells += reading.tells
            plan.structuralZeros += reading.structuralZeros.filter { !plan.structuralZeros.contains($0) }
        }
    }
}
