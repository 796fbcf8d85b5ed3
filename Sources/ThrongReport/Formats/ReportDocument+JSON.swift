internal import Foundation
internal import ThrongPlan
internal import ThrongRelease

extension ReportDocument {
    /// The name and version of the JSON's shape; Schema/report.schema.json describes it.
    public static let jsonFormat = "throng-report/1"

    /// The report as JSON, keys in a fixed order, one newline at the end.
    public var json: String {
        JSONText.object([
            ("format", .string(Self.jsonFormat)),
            ("report", .string(name.text)),
            ("title", .string(title)),
            ("explanation", explanation.map { .string($0) } ?? .null),
            ("partner", .object([("name", .string(partner.name.text)), ("title", .string(partner.title))])),
            (
                "app",
                .object([
                    ("name", .string(app.name.text)), ("title", .string(app.title)), ("contact", .string(app.contact)),
                ])
            ),
            (
                "period",
                .object([
                    ("kind", .string(period.kind.rawValue)),
                    ("label", .string(periodLabel)),
                    ("title", .string(periodTitle)),
                    ("time_zone", .string(app.timeZone)),
                    ("start", .string(Self.instant(period.start))),
                    ("end", .string(Self.instant(period.end))),
                ])
            ),
            ("plan", .string(plan.hex)),
            ("withheld", .string(Withheld.wording)),
            (
                "releases",
                .array(
                    sources.map {
                        .object([
                            ("metric", .string($0.metric.text)),
                            ("title", .string($0.title)),
                            ("digest", .string($0.digest.hex)),
                            ("k", .number(String($0.threshold.devices))),
                        ])
                    })
            ),
            ("insights", .array(answers.map(\.jsonText))),
        ]).written() + "\n"
    }

    private static func instant(_ unixSeconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(unixSeconds)).formatted(.iso8601)
    }
}

extension InsightAnswer {
    fileprivate var jsonText: JSONText {
        let answered = answered
        return .object([
            ("name", .string(insight.name.text)),
            ("title", .string(insight.title)),
            ("explanation", insight.explanation.map { .string($0) } ?? .null),
            ("question", .string(question)),
            ("metric", .string(insight.metric.text)),
            ("kind", .string(insight.kind.word)),
            ("unit", .string(unit)),
            (
                "filters",
                .array(
                    filters.map {
                        .object([("dimension", .string($0.dimension.text)), ("bucket", .string($0.bucket.text))])
                    })
            ),
            ("part", insight.kind.partText),
            ("status", .string(answered == nil ? NumberStatus.notReleased.rawValue : "answered")),
            ("basis", answered?.basis.jsonText ?? .null),
            (
                "dimensions",
                .array(
                    (answered?.axes ?? []).map { axis in
                        .object([
                            ("name", .string(axis.name.text)),
                            ("title", .string(axis.title)),
                            ("buckets", .array(axis.labels.map { .string($0.text) })),
                        ])
                    })
            ),
            ("withheld_share", (answered?.table.withheldShare.decimal).map { .number("\($0)") } ?? .null),
            ("whole", answered?.table.whole.map { .object($0.jsonMembers) } ?? .null),
            (
                "rows",
                .array(
                    (answered?.table.rows ?? []).map { row in
                        .object([("buckets", .array(row.buckets.map { .string($0.text) }))] + row.figure.jsonMembers)
                    })
            ),
        ])
    }
}

extension Insight.Kind {
    fileprivate var word: String {
        switch self {
        case .count: "count"
        case .reach: "reach"
        case .share: "share"
        case .mean: "mean"
        case .distribution: "distribution"
        }
    }

    fileprivate var partText: JSONText {
        guard case .share(_, let part?) = self else { return .null }
        return .object([("dimension", .string(part.dimension.text)), ("bucket", .string(part.bucket.text))])
    }
}

extension NumberBasis {
    fileprivate var jsonText: JSONText {
        .object([
            ("counts", .string(counts.rawValue)),
            ("statement", .string(statement)),
            ("k", .number(String(threshold.devices))),
            ("sampling", .number(samplingText)),
            ("window_seconds", .number(String(rotation.seconds))),
        ])
    }
}

extension Figure {
    /// A withheld number has the same members as a published one, all null: nothing tells two of them apart.
    fileprivate var jsonMembers: [(key: String, value: JSONText)] {
        switch self {
        case .withheld:
            [
                ("status", .string(NumberStatus.withheld.rawValue)), ("value", .null), ("numerator", .null),
                ("denominator", .null),
            ]
        case .published(let quantity):
            [
                ("status", .string(NumberStatus.published.rawValue)),
                ("value", .number("\(quantity.decimal)")),
                ("numerator", quantity.terms.map { .number($0.numerator) } ?? .null),
                ("denominator", quantity.terms.map { .number($0.denominator) } ?? .null),
            ]
        }
    }
}

extension Quantity {
    /// What a quotient was computed from.
    fileprivate var terms: (numerator: String, denominator: String)? {
        switch self {
        case .events, .devices: nil
        case .share(let part, let whole): (String(part), String(whole))
        case .mean(let sum, let decimals, let events):
            (Decimals(sum, shiftedBy: decimals, over: 1, places: decimals).description, String(events))
        }
    }
}
