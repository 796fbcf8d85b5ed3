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
                            ("k", $0.threshold == .none ? .null : .number(String($0.threshold.devices))),
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
        return .object(
            [
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
                ("dimensions", .array((answered?.axes ?? []).map(\.jsonText))),
            ] + Self.members(answered?.table))
    }

    private static func members(_ table: AnswerTable?) -> [(key: String, value: JSONText)] {
        [
            ("withheld_share", (table?.rest?.share).map { .number("\($0)") } ?? .null),
            ("whole", table?.whole.map { .object($0.jsonMembers) } ?? .null),
            ("rest", table?.rest?.jsonText ?? .null),
            ("rows", .array((table?.rows ?? []).map(\.jsonText))),
        ]
    }
}

extension AnswerAxis {
    fileprivate var jsonText: JSONText {
        .object([
            ("name", .string(name.text)),
            ("title", .string(title)),
            ("buckets", .array(labels.map { .string($0.text) })),
        ])
    }
}

extension AnswerRow {
    fileprivate var jsonText: JSONText {
        .object([("buckets", .array(buckets.map { .string($0.text) }))] + figure.jsonMembers)
    }
}

extension AnswerRest {
    fileprivate var jsonText: JSONText {
        quantity.map { .object(Figure.published($0).jsonMembers(as: .derived)) } ?? .null
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
        case .retention: "retention"
        case .frequency: "frequency"
        }
    }

    fileprivate var partText: JSONText {
        guard case .share(_, let part?) = self else { return .null }
        return .object([("dimension", .string(part.dimension.text)), ("bucket", .string(part.bucket.text))])
    }
}

extension NumberBasis {
    fileprivate var jsonText: JSONText {
        let members: [(key: String, value: JSONText)] = [
            ("counts", .string(counts.rawValue)),
            ("devices", devices.map { .string($0.rawValue) } ?? .null),
            ("statement", .string(statement)),
            ("k", kText.map { .number($0) } ?? .null),
            ("sampling", .number(samplingText)),
            ("window_seconds", .number(String(rotation.seconds))),
        ]
        return .object(members + (noise.map { [("noise", $0.jsonText)] } ?? []))
    }
}

extension NumberNoise {
    fileprivate var jsonText: JSONText {
        .object([
            ("mechanism", .string(mechanism)),
            (currency, .string(cost)),
            ("margin", .number(String(margin))),
            ("cells", .number(String(cells))),
            ("windows", .number(String(windows))),
            ("statement", .string(statement)),
        ])
    }
}

extension Figure {
    fileprivate var jsonMembers: [(key: String, value: JSONText)] { jsonMembers(as: status) }

    /// A withheld number has the same members as a published one, all null: nothing tells two of them apart.
    fileprivate func jsonMembers(as status: NumberStatus) -> [(key: String, value: JSONText)] {
        [
            ("status", .string(status.rawValue)),
            ("value", quantity.map { .number("\($0.decimal)") } ?? .null),
            ("numerator", (quantity?.quotient).map { .number($0.numerator) } ?? .null),
            ("denominator", (quantity?.quotient).map { .number($0.denominator) } ?? .null),
        ]
    }
}

extension Quantity {
    /// What a quotient was computed from.
    fileprivate var quotient: (numerator: String, denominator: String)? {
        switch self {
        case .events, .devices, .said: nil
        case .share(let part, let whole): (String(part), String(whole))
        case .mean(let sum, let decimals, let events):
            (Decimals(sum, shiftedBy: decimals, over: 1, places: decimals).description, String(events))
        }
    }
}
