internal import ThrongPlan
internal import ThrongRelease

extension ReportDocument {
    /// The name and version of the JSON's shape; Schema/report.schema.json describes it.
    package static let jsonFormat = "throng-report/1"

    /// The report as JSON, keys in a fixed order, one newline at the end.
    package var json: String {
        let releases = sources.map { source -> JSONText in
            [
                "metric": .string(source.metric.text), "title": .string(source.title), "period": .string(source.period),
                "digest": .string(source.digest.hex), "k": .digits(source.threshold.devices),
                "contribution_bound": source.chosenBound.map { .digits($0) },
            ]
        }
        let partials = partial.map { partial -> JSONText in
            [
                "metric": .string(partial.metric.text), "title": .string(partial.title),
                "from": .text(partial.part.from.map(Instant.text)),
                "until": .text(partial.part.until.map(Instant.text)),
                "counted_in_two_ways": .boolean(partial.part.isSplit),
            ]
        }
        let report: JSONText = [
            "format": .string(Self.jsonFormat), "report": .string(name.text), "title": .string(title),
            "explanation": .text(explanation),
            "partner": ["name": .string(partner.name.text), "title": .string(partner.title)],
            "app": ["name": .string(app.name.text), "title": .string(app.title), "contact": .string(app.contact)],
            "period": [
                "kind": .string(period.kind.rawValue), "label": .string(periodLabel), "title": .string(periodTitle),
                "time_zone": .string(app.timeZone), "start": .string(Instant.text(period.start)),
                "end": .string(Instant.text(period.end)),
            ], "locale": .string(locale.tag.text), "plan": .string(plan.hex),
            "withheld": .string(locale.say(.withheld)), "releases": .array(releases),
            "delete_by": deleteBy.map { .string(Instant.text($0)) }, "alert": alert.map { .string($0.sentence) },
            "partial": partials.isEmpty ? nil : .array(partials),
            "insights": .array(answers.map { $0.jsonText(names) }),
        ]
        return report.written() + "\n"
    }
}

extension InsightAnswer {
    fileprivate func jsonText(_ names: PeriodNames) -> JSONText {
        let filters = filters.map { filter -> JSONText in
            ["dimension": .string(filter.dimension.text), "bucket": .string(filter.bucket.text)]
        }
        let head: [JSONText.Member] = [
            ("name", .string(insight.name.text)), ("title", .string(insight.title)),
            ("explanation", .text(insight.explanation)), ("question", .string(question)),
            ("metric", .string(insight.metric.text)), ("kind", .string(insight.kind.word)),
            ("view", insight.view.jsonText), ("unit", .string(unit)), ("filters", .array(filters)),
            ("part", insight.kind.partText), ("status", .string(status)), ("basis", answered?.basis.jsonText ?? .null),
            ("dimensions", .array((answered?.axes ?? []).map(\.jsonText))),
        ]
        let aged = (answered?.aged ?? []).map(\.jsonText)
        return .object(
            head + (aged.isEmpty ? [] : [("aged", .array(aged))]) + members(answered) + viewMembers(answered, names))
    }

    private func members(_ answered: Answered?) -> [JSONText.Member] {
        let table = answered?.table
        var rest = table?.rest?.quantity
        var rows = (table?.rows ?? []).map { row($0.buckets, $0.figure) }
        if case .funnel(let stages)? = answered?.view {
            rows = zip(table?.rows ?? [], stages).map { row, stage in
                self.row(row.buckets, row.figure, parts(of: stage))
            }
        }
        if case .ranking(let ranking)? = answered?.view {
            rest = ranking.rest
            rows = ranking.rows.map { ranked in
                let ranks: [JSONText.Member] = [
                    ("rank", .digits(ranked.rank)), ("last_rank", .digits(ranked.lastRank)),
                ]
                return row(ranked.row.buckets, ranked.row.figure, ranks)
            }
        }
        return [
            ("withheld_share", .digits(table?.rest?.share)), ("left_out", .boolean(table?.isLeftOut ?? false)),
            ("whole", table?.whole.map { .object(members(of: $0)) } ?? .null),
            ("rest", rest.map { .object(members(of: .published($0), as: .derived)) } ?? .null), ("rows", .array(rows)),
        ]
    }

    private func parts(of stage: AnswerStage) -> [JSONText.Member] {
        [("of_previous", stage.ofPrevious), ("of_first", stage.ofFirst)].map { key, figure in
            (key, figure.map { .object(members(of: $0)) } ?? .null)
        }
    }

    private func viewMembers(_ answered: Answered?, _ names: PeriodNames) -> [JSONText.Member] {
        let rows = answered?.table.rows ?? []
        switch answered?.view {
        case .change(let comparisons)?:
            let texts = comparisons.map { comparison -> JSONText in
                let compared = zip(rows, comparison.rows).map { own, compared -> JSONText in
                    [
                        "buckets": own.buckets.jsonText, "earlier": .object(members(of: compared.earlier)),
                        "change": .object(members(of: compared.change)),
                    ]
                }
                return [
                    "against": .string(comparison.reference.rawValue), "period": names.jsonText(comparison.period),
                    "rows": .array(compared),
                ]
            }
            return [("comparisons", .array(texts))]
        case .trend(let points)?:
            let texts = points.map { point -> JSONText in
                [
                    "period": names.jsonText(point.period), "k": .digits(point.threshold?.devices),
                    "withheld_share": .digits(point.withheldShare),
                    "rows": .array(zip(rows, point.figures).map { row($0.buckets, $1) }),
                ]
            }
            return [("points", .array(texts))]
        case .table?, .ranking?, .funnel?, nil: return []
        }
    }

    private func row(_ buckets: [BucketLabel], _ figure: Figure, _ more: [JSONText.Member] = []) -> JSONText {
        .object([("buckets", buckets.jsonText)] + more + members(of: figure))
    }

    /// A withheld number has the same members as a published one, all null: nothing tells two of them apart.
    private func members(of figure: Figure, as status: NumberStatus? = nil) -> [JSONText.Member] {
        let quantity = figure.quantity
        let members: [JSONText.Member] = [
            ("status", .string((status ?? figure.status).rawValue)), ("value", .digits(quantity?.decimal)),
            ("numerator", .digits(quantity?.quotient?.numerator)),
            ("denominator", .digits(quantity?.quotient?.denominator)),
        ]
        return hasBounds ? members + Self.boundMembers(status == .derived ? nil : bounds(of: quantity)) : members
    }

    private func members(of outcome: Reported<Change>) -> [JSONText.Member] {
        let change = outcome.change
        let members: [JSONText.Member] = [
            ("status", .string(outcome.status.rawValue)), ("difference", .digits(change?.difference)),
            ("relative", .digits(change?.relative)),
        ]
        return hasBounds ? members + Self.boundMembers(change.map { ($0.interval.low, $0.interval.high) }) : members
    }

    private static func boundMembers(_ bounds: (low: Decimals?, high: Decimals?)?) -> [JSONText.Member] {
        [("low", .digits(bounds?.low)), ("high", .digits(bounds?.high))]
    }

    var status: String {
        switch outcome {
        case .answered: "answered"
        case .absent(let absence): NumberStatus(absence).rawValue
        }
    }

    /// Returns the bounds of a number: the interval of an estimate, of devices or of a quotient, or the band of a
    /// quantile, whose ends may be open. Nil for other numbers, of which the margin says all.
    func bounds(of quantity: Quantity?) -> (low: Decimals?, high: Decimals?)? {
        if case .quantile(let reading)? = quantity { return (reading.lowest, reading.highest) }
        return quantity.flatMap { interval(of: $0) }.map { ($0.low, $0.high) }
    }

    /// True if numbers were computed from two others.
    var hasQuotients: Bool { insight.kind.isTally ? isSample : insight.kind.isQuotient }

    var hasBounds: Bool {
        // Counts have them where they are compared.
        if case .change = insight.view { return true }
        return isSample || !insight.kind.isTally
    }
}

extension AnswerAxis {
    fileprivate var jsonText: JSONText {
        ["name": .string(name.text), "title": .string(title), "buckets": labels.jsonText]
    }
}

extension [BucketLabel] { fileprivate var jsonText: JSONText { .array(map { .string($0.text) }) } }

extension AgedDimension {
    fileprivate var jsonText: JSONText { ["dimension": .string(name.text), "now": .text(now?.name.text)] }
}

extension PeriodNames {
    fileprivate func jsonText(_ period: Period) -> JSONText {
        [
            "label": .string(label(period)), "title": .string(long(period)),
            "start": .string(Instant.text(period.start)), "end": .string(Instant.text(period.end)),
        ]
    }
}

extension Insight.View {
    /// The view in which the rows are shown, with what the plan says about it.
    fileprivate var jsonText: JSONText {
        switch self {
        case .table: ["as": .string("table")]
        case .ranking(let top): ["as": .string("ranking"), "top": .digits(top)]
        case .change(let references):
            ["as": .string("change"), "against": .array(references.map { .string($0.rawValue) })]
        case .trend(let periods): ["as": .string("trend"), "periods": .digits(periods)]
        }
    }
}

extension Insight.Kind {
    fileprivate var partText: JSONText {
        guard case .share(_, let part?) = self else { return .null }
        return ["dimension": .string(part.dimension.text), "bucket": .string(part.bucket.text)]
    }
}

extension NumberBasis {
    fileprivate var jsonText: JSONText {
        [
            "counts": .string(counts.rawValue), "devices": .text(devices?.rawValue), "statement": .string(statement),
            "k": .number(kText), "floor": .text(floorText), "sampling": .number(samplingText),
            "window_seconds": hasIdentifiers ? .digits(rotation.seconds) : .null,
            "margin": ["within": .digits(within), "rho": .string(margin.cost), "statement": .string(marginStatement)],
        ]
    }
}

extension Quantity {
    /// The two numbers that a quotient or an estimate was computed from; nil for other numbers.
    var quotient: (numerator: String, denominator: String)? {
        switch self {
        case .drawn, .quantile: nil
        case .estimate(let estimate): (String(estimate.counted), Decimals(exactly: estimate.rate).description)
        case .share(let part, let whole, _), .settled(let part, let whole): (String(part), String(whole))
        case .mean(let sum, let decimals, let events, _):
            (Decimals(sum, shiftedBy: decimals, over: 1, places: decimals).description, String(events))
        }
    }
}

/// A JSON value (RFC 8259) that is written with its keys in the order in which they were given, numbers as exact
/// decimals: the same bytes for the same report.
package enum JSONText: ExpressibleByDictionaryLiteral {
    package typealias Member = (key: String, value: JSONText)

    case null
    case string(String)
    /// Digits as they are to be written.
    case number(String)
    case boolean(Bool)
    case array([JSONText])
    case object([Member])

    /// Creates an object without the members that are nil; ``null`` is written.
    package init(dictionaryLiteral members: (String, JSONText?)...) {
        self = .object(members.compactMap { key, value in value.map { (key: key, value: $0) } })
    }

    package static func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

    package static func digits(_ number: (some CustomStringConvertible)?) -> JSONText {
        number.map { .number($0.description) } ?? .null
    }

    /// The text, indented by two spaces a level.
    package func written(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .null: return "null"
        case .string(let text): return Self.quoted(text)
        case .number(let digits): return digits
        case .boolean(let value): return value ? "true" : "false"
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            if elements.allSatisfy(\.isScalar) {
                return "[" + elements.map { $0.written() }.joined(separator: ", ") + "]"
            }
            return "[\n" + elements.map { inner + $0.written(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { inner + Self.quoted($0.key) + ": " + $0.value.written(indent: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private var isScalar: Bool {
        switch self {
        case .null, .string, .number, .boolean: true
        case .array, .object: false
        }
    }

    /// Escapes what JSON requires, and also DEL, C1 controls, U+2028, U+2029, directional controls and `<`, so that
    /// the text is inert wherever it is pasted.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar where scalar == "<" || scalar.isControl:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
