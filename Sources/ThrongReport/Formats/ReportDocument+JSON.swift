internal import ThrongPlan
internal import ThrongRelease

extension ReportDocument {
    /// The name and version of the JSON's shape; Schema/report.schema.json describes it.
    package static let jsonFormat = "throng-report/1"

    /// The report as JSON, keys in a fixed order, one newline at the end.
    package var json: String {
        JSONText.object(
            [
                ("format", .string(Self.jsonFormat)),
                ("report", .string(name.text)),
                ("title", .string(title)),
                ("explanation", explanation.map { .string($0) } ?? .null),
                ("partner", .object([("name", .string(partner.name.text)), ("title", .string(partner.title))])),
                (
                    "app",
                    .object([
                        ("name", .string(app.name.text)), ("title", .string(app.title)),
                        ("contact", .string(app.contact)),
                    ])
                ),
                (
                    "period",
                    .object([
                        ("kind", .string(period.kind.rawValue)),
                        ("label", .string(periodLabel)),
                        ("title", .string(periodTitle)),
                        ("time_zone", .string(app.timeZone)),
                        ("start", .string(Instant.text(period.start))),
                        ("end", .string(Instant.text(period.end))),
                    ])
                ),
                ("locale", .string(locale.rawValue)),
                ("plan", .string(plan.hex)),
                ("withheld", .string(Withheld.wording)),
                (
                    "releases",
                    .array(
                        sources.map {
                            .object([
                                ("metric", .string($0.metric.text)),
                                ("title", .string($0.title)),
                                ("period", .string($0.period)),
                                ("digest", .string($0.digest.hex)),
                                ("k", .number(String($0.threshold.devices))),
                            ])
                        })
                ),
            ] + deletionMembers + partialMembers + [("insights", .array(answers.map { $0.jsonText(names) }))]
        ).written() + "\n"
    }

    private var deletionMembers: [(key: String, value: JSONText)] {
        deleteBy.map { [("delete_by", .string(Instant.text($0)))] } ?? []
    }

    private var partialMembers: [(key: String, value: JSONText)] {
        if partial.isEmpty { return [] }
        func instant(_ time: UnixSeconds?) -> JSONText { time.map { .string(Instant.text($0)) } ?? .null }
        let texts = partial.map {
            JSONText.object([
                ("metric", .string($0.metric.text)), ("title", .string($0.title)),
                ("from", instant($0.part.from)), ("until", instant($0.part.until)),
                ("counted_in_two_ways", .boolean($0.part.isSplit)),
            ])
        }
        return [("partial", .array(texts))]
    }
}

extension InsightAnswer {
    fileprivate func jsonText(_ names: PeriodNames) -> JSONText {
        .object(
            [
                ("name", .string(insight.name.text)),
                ("title", .string(insight.title)),
                ("explanation", insight.explanation.map { .string($0) } ?? .null),
                ("question", .string(question)),
                ("metric", .string(insight.metric.text)),
                ("kind", .string(insight.kind.word)),
                ("view", insight.view.jsonText),
                ("unit", .string(unit)),
                (
                    "filters",
                    .array(
                        filters.map {
                            .object([("dimension", .string($0.dimension.text)), ("bucket", .string($0.bucket.text))])
                        })
                ),
                ("part", insight.kind.partText),
                ("status", .string(status)),
                ("basis", answered?.basis.jsonText ?? .null),
                ("dimensions", .array((answered?.axes ?? []).map(\.jsonText))),
            ] + agedMembers(answered) + members(answered) + viewMembers(answered, names))
    }

    private func agedMembers(_ answered: Answered?) -> [(key: String, value: JSONText)] {
        guard let aged = answered?.aged, !aged.isEmpty else { return [] }
        return [("aged", .array(aged.map(\.jsonText)))]
    }

    private func members(_ answered: Answered?) -> [(key: String, value: JSONText)] {
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
                row(ranked.row.buckets, ranked.row.figure, rankMembers(ranked))
            }
        }
        return [
            ("withheld_share", (table?.rest?.share).map { .number("\($0)") } ?? .null),
            ("left_out", .boolean(table?.isLeftOut ?? false)),
            ("whole", table?.whole.map { .object(members(of: $0)) } ?? .null),
            ("rest", rest.map { .object(members(of: .published($0), as: .derived)) } ?? .null),
            ("rows", .array(rows)),
        ]
    }

    private func rankMembers(_ ranked: AnswerRanking.Ranked) -> [(key: String, value: JSONText)] {
        [("rank", .number(String(ranked.rank))), ("last_rank", .number(String(ranked.lastRank)))]
    }

    private func parts(of stage: AnswerStage) -> [(key: String, value: JSONText)] {
        [("of_previous", stage.ofPrevious), ("of_first", stage.ofFirst)].map { key, figure in
            (key, figure.map { .object(members(of: $0)) } ?? .null)
        }
    }

    private func viewMembers(_ answered: Answered?, _ names: PeriodNames) -> [(key: String, value: JSONText)] {
        switch answered?.view {
        case .change(let comparisons)?:
            let rows = answered?.table.rows ?? []
            let texts = comparisons.map { comparison in
                JSONText.object([
                    ("against", .string(comparison.reference.rawValue)), ("period", names.jsonText(comparison.period)),
                    (
                        "rows",
                        .array(
                            zip(rows, comparison.rows).map { own, compared in
                                .object([
                                    ("buckets", .array(own.buckets.map { .string($0.text) })),
                                    ("earlier", .object(members(of: compared.earlier))),
                                    ("change", .object(members(of: compared.change))),
                                ])
                            })
                    ),
                ])
            }
            return [("comparisons", .array(texts))]
        case .trend(let points)?:
            let rows = answered?.table.rows ?? []
            let texts = points.map { point in
                JSONText.object([
                    ("period", names.jsonText(point.period)),
                    ("k", point.threshold.map { .number(String($0.devices)) } ?? .null),
                    ("withheld_share", point.withheldShare.map { .number("\($0)") } ?? .null),
                    ("rows", .array(zip(rows, point.figures).map { row($0.buckets, $1) })),
                ])
            }
            return [("points", .array(texts))]
        case .table?, .ranking?, .funnel?, nil: return []
        }
    }

    private func row(
        _ buckets: [BucketLabel], _ figure: Figure, _ more: [(key: String, value: JSONText)] = []
    ) -> JSONText {
        .object([("buckets", .array(buckets.map { .string($0.text) }))] + more + members(of: figure))
    }

    /// A withheld number has the same members as a published one, all null: nothing tells two of them apart.
    private func members(of figure: Figure, as status: NumberStatus? = nil) -> [(key: String, value: JSONText)] {
        let quantity = figure.quantity
        let members: [(key: String, value: JSONText)] = [
            ("status", .string((status ?? figure.status).rawValue)),
            ("value", (quantity?.decimal).map { .number("\($0)") } ?? .null),
            ("numerator", (quantity?.quotient).map { .number($0.numerator) } ?? .null),
            ("denominator", (quantity?.quotient).map { .number($0.denominator) } ?? .null),
        ]
        return hasBounds ? members + Self.boundMembers(status == .derived ? nil : bounds(of: quantity)) : members
    }

    private func members(of outcome: AnswerComparison.Outcome) -> [(key: String, value: JSONText)] {
        let change = outcome.change
        let members: [(key: String, value: JSONText)] = [
            ("status", .string(outcome.status.rawValue)),
            ("difference", change.map { .number("\($0.difference)") } ?? .null),
            ("relative", (change?.relative).map { .number("\($0)") } ?? .null),
        ]
        return hasBounds ? members + Self.boundMembers(change.map { ($0.interval.low, $0.interval.high) }) : members
    }

    private static func boundMembers(
        _ bounds: (low: Decimals?, high: Decimals?)?
    ) -> [(key: String, value: JSONText)] {
        func text(_ number: Decimals?) -> JSONText { number.map { .number("\($0)") } ?? .null }
        return [("low", text(bounds?.low)), ("high", text(bounds?.high))]
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

extension AgedDimension {
    fileprivate var jsonText: JSONText {
        .object([("dimension", .string(name.text)), ("now", now.map { .string($0.name.text) } ?? .null)])
    }
}

extension PeriodNames {
    fileprivate func jsonText(_ period: Period) -> JSONText {
        .object([
            ("label", .string(label(period))), ("title", .string(long(period))),
            ("start", .string(Instant.text(period.start))),
            ("end", .string(Instant.text(period.end))),
        ])
    }
}

extension Insight.View {
    /// The view in which the rows are shown, with what the plan says about it.
    fileprivate var jsonText: JSONText {
        switch self {
        case .table: .object([("as", .string("table"))])
        case .ranking(let top): .object([("as", .string("ranking")), ("top", .number(String(top)))])
        case .change(let references):
            .object([
                ("as", .string("change")), ("against", .array(references.map { .string($0.rawValue) })),
            ])
        case .trend(let periods): .object([("as", .string("trend")), ("periods", .number(String(periods)))])
        }
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
        case .quantiles: "quantiles"
        case .retention: "retention"
        case .frequency: "frequency"
        case .funnel: "funnel"
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
            ("devices", devices.map { .string($0.rawValue) } ?? .null),
            ("statement", .string(statement)),
            ("k", .number(kText)),
            ("floor", floorText.map { .string($0) } ?? .null),
            ("sampling", .number(samplingText)),
            ("window_seconds", hasIdentifiers ? .number(String(rotation.seconds)) : .null),
            (
                "margin",
                .object([
                    ("within", .number(String(within))), ("rho", .string(margin.cost)),
                    ("statement", .string(marginStatement)),
                ])
            ),
        ])
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
