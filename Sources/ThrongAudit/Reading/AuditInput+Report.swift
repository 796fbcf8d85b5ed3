package import ThrongWire

extension AuditInput {
    /// Adds a partner's report, byte by byte as it was delivered (Schema/report.schema.json).
    ///
    /// Reads every number, also those that only stand as numerator, denominator, whole, withheld share or rest, and looks at
    /// the file's form: what tells two withheld rows apart is a finding.
    /// - Complexity: O(bytes).
    package mutating func add(report bytes: [UInt8], name: String) {
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
            guard let metric = insight["metric"]?.text, insight["status"]?.text == "answered" else { continue }
            guard insight["basis"]?["margin"].map(\.isNull) ?? true else {
                let earlier = (insight["points"]?.elements ?? []).filter { $0["k"]?.digits != nil }.map { $0["period"] }
                for period in earlier + [tree["period"]] {
                    margined.insert("\(app)/\(metric) \(period?["label"]?.text ?? name)")
                }
                continue
            }
            // A quantile is computed from released bands; whoever attacks the releases has these themselves.
            guard insight["kind"]?.text != "quantiles" else { continue }
            let threshold = insight["basis"]?["k"]?.digits.flatMap { Int64($0) } ?? thresholds[metric] ?? 5
            let own = insight.isTrend ? [] : [(tree: insight, period: AuditPeriod(start: start, end: end))]
            for part in own + insight.earlierParts {
                guard
                    let reading = ReportInsight(
                        part.tree, source: name, app: app, metric: metric, period: part.period, threshold: threshold)
                else {
                    unread.append("\(name): insight \(insight["name"]?.text ?? "without a name") could not be read")
                    continue
                }
                add(reading)
            }
        }
    }

    private mutating func add(_ reading: ReportInsight) {
        for dimension in reading.dimensions { declare(dimension) }
        families += reading.families
        statements += reading.statements
        tells += reading.tells
        plan.structuralZeros += reading.structuralZeros.filter { !plan.structuralZeros.contains($0) }
    }
}

/// Reads "2026-11-15T23:00:00Z" as Unix seconds: the only form that reports and exports use.
enum Instant {
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[19] == UInt8(ascii: "Z") else { return Int64(text) }
        func field(_ range: Range<Int>) -> Int64? { Int64(String(decoding: bytes[range], as: UTF8.self)) }
        guard let year = field(0..<4), let month = field(5..<7), let day = field(8..<10), let hour = field(11..<13),
            let minute = field(14..<16), let second = field(17..<19), (1...12).contains(month)
        else { return nil }
        // Days from 1970-01-01 in the proleptic Gregorian calendar, counting years from March.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofEra = shifted - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

extension AuditPeriod {
    /// Reads an instant as reports print it, "2026-11-15T23:00:00Z", or as a number of seconds; nil is neither.
    package static func instant(_ text: String) -> UnixSeconds? { Instant.seconds(text).map { UnixSeconds($0) } }
}

extension JSONTree {
    /// Whether its numbers are those of several periods, the report's own among them.
    fileprivate var isTrend: Bool { self["view"]?["as"]?.text == "trend" }

    /// The insight's numbers of other periods, each in the shape of an insight of its own; a period without a release has
    /// none.
    fileprivate var earlierParts: [(tree: JSONTree, period: AuditPeriod)] {
        func part(_ point: JSONTree, rows: [JSONTree], share: JSONTree) -> (tree: JSONTree, period: AuditPeriod)? {
            guard let start = point["period"]?["start"]?.text.flatMap(Instant.seconds),
                let end = point["period"]?["end"]?.text.flatMap(Instant.seconds), start < end,
                rows.contains(where: { ["published", "withheld", "impossible"].contains($0["status"]?.text) })
            else { return nil }
            let replaced: [JSONTree.Member] = [
                .init(key: "rows", value: .array(rows)), .init(key: "withheld_share", value: share),
                .init(key: "whole", value: .null), .init(key: "rest", value: .null),
            ]
            return (.object(replaced + members), AuditPeriod(start: start, end: end))
        }
        let points = (self["points"]?.elements ?? []).compactMap { point in
            part(point, rows: point["rows"]?.elements ?? [], share: point["withheld_share"] ?? .null)
        }
        // The change itself is the difference of two numbers that are both printed.
        return points
            + (self["comparisons"]?.elements ?? []).compactMap { comparison in
                let rows = (comparison["rows"]?.elements ?? []).map { row in
                    JSONTree.object(
                        [.init(key: "buckets", value: row["buckets"] ?? .null)] + (row["earlier"]?.members ?? []))
                }
                return part(comparison, rows: rows, share: .null)
            }
    }

    /// Keys and values; none where this is no object. The first of a key counts.
    private var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
