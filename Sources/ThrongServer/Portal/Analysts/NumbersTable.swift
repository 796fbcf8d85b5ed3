internal import HTTPTypes
internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

/// An answer as programs and files have it: the query's columns, what is computed from them, and when copies are to be
/// deleted. CSV, workbook and JSON have the same columns under the same names.
struct NumbersTable {
    struct Column {
        let name: String
        /// period, bucket, count, reached, sum, devices, client_devices, share, quotient, mean, change, margin, reason, time.
        let kind: String
        var unit: String?
        /// The buckets of a dimension, `other` among them; nil where it is made of another one.
        var buckets: Int?
        var meaning: String?
        /// The columns that say how far off it is and why it is missing.
        var margin: String?
        var reason: String?
        /// True if numbers of rows without overlap may be added.
        var adds = false

        var json: JSONText {
            [
                "name": .string(name), "kind": .string(kind), "unit": unit.map { .string($0) },
                "buckets": buckets.map { .number("\($0)") },
                "meaning": meaning.map { .string($0) }, "margin": margin.map { .string($0) },
                "reason": reason.map { .string($0) }, "adds": margin.map { _ in .boolean(adds) },
            ]
        }
    }

    let columns: [Column]
    /// A cell a column. Times and dates are texts.
    let rows: [[SheetCell]]
    private let answer: ExplorerAnswer

    init(_ answer: ExplorerAnswer) {
        let choice = answer.choice
        self.answer = answer
        var columns = [Column(name: "period", kind: "period"), Column(name: "local_date", kind: "time")]
        columns += [Column(name: "period_start", kind: "time")]
        for column in choice.question.columns {
            let size = zip(choice.shape.dimensions, choice.metric.sizes).first { $0.0 == column }?.1 ?? 0
            columns.append(Column(name: column.name, kind: "bucket", buckets: size > 0 ? size : nil))
        }
        for measure in choice.measures {
            columns.append(
                Column(
                    name: measure.name, kind: measure.word, unit: measure.unit, meaning: measure.meaning,
                    margin: measure.beside?.margin, reason: measure.beside?.reason, adds: measure.adds))
            if let beside = measure.beside { columns.append(Column(name: beside.margin, kind: "margin")) }
        }
        columns += choice.question.reasons.map { Column(name: $0, kind: "reason") }
        for figure in answer.figures {
            let (margin, reason) = ("\(figure.name)_margin", "\(figure.name)_withheld")
            columns += [
                Column(
                    name: figure.name, kind: figure.kind.rawValue, meaning: figure.title, margin: margin, reason: reason
                ), Column(name: margin, kind: "margin"), Column(name: reason, kind: "reason"),
            ]
        }
        columns.append(Column(name: "delete_by", kind: "time"))
        let parts = answer.titles.parts(of: choice.releases, in: choice)
        if !parts.isEmpty { columns += ["counted_from", "counted_until"].map { Column(name: $0, kind: "time") } }
        self.columns = columns
        let kept = answer.titles.end(of: choice.metric, by: choice.kind, splitBy: answer.dimensions)?.after
        rows = answer.rows.enumerated().map { place, row in
            var cells: [SheetCell] = [.text(row.period), .text("\(row.date)"), .text(Instant.text(row.start))]
            cells += row.buckets.map { .text($0) }
            for (number, measure) in zip(row.numbers, choice.measures) {
                cells.append(SheetCell(number?.decimals))
                guard measure.beside != nil else { continue }
                cells.append(
                    SheetCell(number.flatMap { one in one.within.map { Decimals(units: $0, places: one.places) } }))
            }
            cells += row.reasons.map { $0.map { .text($0) } ?? .empty }
            for figure in answer.figures {
                let isShare = figure.isFraction
                switch figure.values[place] {
                case .missing(let reason): cells += [.empty, .empty, .text(reason)]
                case .number(let number, let within):
                    cells += [SheetCell(number, isShare: isShare), SheetCell(within, isShare: isShare), .empty]
                }
            }
            let end = choice.calendar.period(choice.kind, containing: row.start).end
            let times =
                [kept.map { end + $0.components.seconds }]
                + (parts.isEmpty ? [] : [parts[row.start]?.from, parts[row.start]?.until])
            return cells + times.map { $0.map { .text(Instant.text($0)) } ?? .empty }
        }
    }

    /// A line a row, and before them one with the columns' names.
    ///
    /// Shape: RFC 4180 in UTF-8 with CRLF, without a byte order mark; formulas are defused as in reports.
    var csv: String {
        let lines = rows.map { row in
            row.map { cell -> CSVCell in
                switch cell {
                case .text(let text): .text(text)
                case .number(let number, _): .number("\(number)")
                case .empty: .empty
                }
            }
        }
        return ([columns.map { CSVCell.text($0.name) }] + lines)
            .map { $0.map(\.written).joined(separator: ",") + "\r\n" }.joined()
    }

    /// A workbook of one sheet, as of the end of the last period.
    func workbook() throws -> [UInt8] {
        let (choice, titles) = (answer.choice, answer.titles)
        let sheet = Sheet(
            name: titles.metric(choice.metric),
            lines: [titles.app(choice.metric.app), answer.heading, answer.sentence], heads: columns.map(\.name),
            rows: rows,
            notes: answer.basis + answer.partNotes(choice.releases) + [answer.withheldNote].compactMap(\.self))
        return try Workbook.bytes(
            of: [sheet].named, created: choice.releases.last?.period.end ?? .epoch, file: answer.fileName("xlsx"))
    }

    /// - Parameter next: the address of the next part; nil where this is the last one.
    func json(next: String?) -> JSONText {
        let choice = answer.choice
        return [
            "app": .string(choice.metric.app.text), "metric": .string(choice.metric.metric.text),
            "title": .string(answer.titles.metric(choice.metric)), "layout": .number("\(choice.metric.version)"),
            "kind": .string(choice.kind.rawValue), "time_zone": .string(choice.metric.timeZone),
            "grouping": .array(choice.margin.columns.map { .string($0) }),
            "where": .object(choice.filters.map { (key: $0.column, value: .string($0.bucket)) }),
            "from": .string(choice.from), "to": .string(choice.to),
            "sampling": .array(Set(choice.releases.map(\.sampling)).sorted().map { .number($0) }),
            "k": .array(Set(choice.releases.map(\.threshold)).sorted().map { .number("\($0)") }),
            "columns": .array(columns.map(\.json)), "rows": .array(rows.map(object)),
            "total": .number("\(answer.total)"), "next": .text(next), "sql": .string(choice.question.sql),
        ]
    }

    private func object(_ row: [SheetCell]) -> JSONText {
        .object(
            zip(columns, row).map { column, cell in
                switch cell {
                case .text(let text): (key: column.name, value: .string(text))
                case .number(let number, _): (key: column.name, value: .digits(number))
                case .empty: (key: column.name, value: .null)
                }
            })
    }
}

extension AnalystColumn {
    /// The kind of its numbers, for programs.
    var word: String {
        switch kind {
        case .dimension: "bucket"
        case .count: "count"
        case .reached: "reached"
        case .sum: "sum"
        case .devices: "devices"
        case .clientDevices: "client_devices"
        }
    }
}

/// The parts in which an answer's rows come.
extension ExplorerAnswer {
    var isWhole: Bool { total == rows.count }

    var parts: Int { AnalystQuestion.parts(ofRows: total) }

    /// The first and the last row of a part, from 1.
    func span(ofPart part: Int) -> (first: Int, last: Int) {
        let first = (part - 1) * AnalystQuestion.mostRows + 1
        return (first, min(first + AnalystQuestion.mostRows - 1, total))
    }

    func fileName(_ ending: String) -> String {
        let span = span(ofPart: choice.part)
        return choice.fileName(isWhole ? nil : "rows-\(span.first)-\(span.last)-of-\(total)", ending)
    }
}

/// `/v1/numbers`: what the explorer shows, for programs that show a token, as JSON, CSV and workbook.
extension AnalystRoutes {
    /// The titles for programs, which read one language.
    private var titles: ExplorerTitles { ExplorerTitles(plans: plans, language: .english) }

    private static let document = ServedText(
        String(decoding: PackageResources.numbers_json, as: UTF8.self), type: "application/json", cachedFor: 3600)

    func addNumbers(to router: Router<BasicRequestContext>) {
        router.get("/v1/openapi.json") { request, _ in Self.document.response(to: request) }
        router.get("/v1/numbers") { request, _ in
            try await reading(request) { query in
                guard query.names.isEmpty else {
                    throw ExplorerProblem(.meaning, allowed: ["/v1/numbers", "/v1/numbers/METRIC"])
                }
                var metrics: [JSONText] = []
                for metric in try await store.metrics() { metrics.append(try await definition(of: metric)) }
                let list: JSONText = ["metrics": .array(metrics)]
                return Self.file(Array(list.written().utf8), as: "application/json")
            }
        }
        router.get("/v1/numbers/:metric") { request, context in
            try await reading(request) { query in
                let query = query.naming("metric", try context.parameters.require("metric"))
                let answer = try await answer(query, try await store.metrics(), titles)
                var response = try Self.response(answer, as: try NumbersFormat(query["format"], request))
                // Source: RFC 8288, for programs that read part after part.
                if let next = Self.next(answer), let link = HTTPField.Name("Link") {
                    response.headers[link] = "<\(next)>; rel=\"next\""
                }
                response.headers[.vary] = "accept"
                return response
            }
        }
    }

    private static func next(_ answer: ExplorerAnswer) -> String? {
        answer.choice.part < answer.parts ? answer.choice.numbers(part: answer.choice.part + 1) : nil
    }

    private static func response(_ answer: ExplorerAnswer, as format: NumbersFormat) throws -> Response {
        let table = NumbersTable(answer)
        let bytes =
            switch format {
            case .json: Array(table.json(next: next(answer)).written().utf8)
            case .csv: Array(table.csv.utf8)
            case .xlsx: try table.workbook()
            }
        return file(bytes, as: format.type, name: format == .json ? nil : answer.fileName(format.rawValue))
    }

    /// A metric's entry in the list: its measures, kinds of period and groupings.
    private func definition(of metric: AnalystMetric) async throws -> JSONText {
        let calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        var kinds: [JSONText] = []
        var measures: [AnalystColumn] = []
        for span in metric.spans {
            let shape = try await store.shape(of: metric, kind: span.kind)
            measures = shape.measures
            let labels = shape.releases.map { calendar.label(of: $0.period) }
            kinds.append([
                "kind": .string(span.kind.rawValue), "periods": .number("\(shape.releases.count)"),
                "from": .text(labels.first), "to": .text(labels.last),
                "groupings": .array(shape.margins.map { .string($0.name) }),
            ])
        }
        let query = AddressQuery.text([("app", metric.app.text), ("layout", "\(metric.version)")])
        return [
            "app": .string(metric.app.text), "metric": .string(metric.metric.text),
            "title": .string(titles.metric(metric)), "question": .text(titles.question(metric)),
            "layout": .number("\(metric.version)"), "current": .boolean(metric.isCurrent),
            "time_zone": .string(metric.timeZone),
            "dimensions": .array(
                metric.dimensions.map { name in
                    ["name": .string(name.text), "title": .string(titles.dimension(name, of: metric))]
                }),
            "measures": .array(
                measures.map { measure in
                    [
                        "name": .string(measure.name), "kind": .string(measure.word), "unit": .string(measure.unit),
                        "meaning": .string(measure.meaning), "adds": .boolean(measure.adds),
                    ]
                }), "kinds": .array(kinds), "href": .string("/v1/numbers/\(metric.metric)?\(query)"),
        ]
    }

    /// Answers a program that shows an analyst's token, or an analyst who has signed in; says to anybody else what to show.
    private func reading(_ request: Request, _ answer: (AddressQuery) async throws -> Response) async throws -> Response
    {
        let answered = try await ExplorerProblem.or {
            if let refusal = try await refusal(of: request) { return refusal }
            return try await answer(try AddressQuery(request.uri.query))
        }
        switch answered {
        case .success(let response): return response
        case .failure(let problem):
            let code = [400: "bad_address", 404: "no_such_numbers"][problem.status.code] ?? "unavailable"
            var response = Self.problem(
                problem.status, code, "\(problem.heading(in: .english)). \(problem.text(in: .english))",
                allowed: problem.allowed(in: .english))
            if problem.status == .serviceUnavailable { response.headers[.retryAfter] = "\(AnalystStore.seconds)" }
            return response
        }
    }

    /// The answer to whoever is no analyst; nil for analysts.
    private func refusal(of request: Request) async throws -> Response? {
        switch try await door.reader(of: request) {
        case nil: return Self.problem(.unauthorized, "no_token", "Show a token: `Authorization: Bearer …`.")
        case .refused, .spent:
            door.onRefusal(.signIn)
            return Self.problem(
                .unauthorized, "unknown_token",
                "This token is not known, has expired or was taken back. Ask for another.")
        case .tooFast(let seconds):
            door.onRefusal(.signInPace)
            var response = Self.problem(
                .tooManyRequests, "too_many_tokens", "Too many tokens were refused lately. Try again later.")
            response.headers[.retryAfter] = "\(seconds)"
            return response
        case .entry(let token):
            return token.role == .analysis
                ? nil
                : Self.problem(
                    .forbidden, "not_for_you", "Numbers are for analysts: `throng token new --analyst` makes a token.")
        }
    }

    /// Source: RFC 9457.
    private static func problem(_ status: HTTPResponse.Status, _ code: String, _ detail: String, allowed: [String] = [])
        -> Response
    {
        let text: JSONText = [
            "type": .string("urn:throng:error:\(code)"), "title": .string(code.replacing("_", with: " ").sentenceCased),
            "status": .number("\(status.code)"), "detail": .string(detail), "error": .string(code),
            "allowed": allowed.isEmpty ? nil : .array(allowed.map { .string($0) }),
        ]
        var response = file(Array(text.written().utf8), as: Problem.contentType)
        response.status = status
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }
}

/// A form of numbers: the one that the address asks for, else the first that the program accepts, else JSON.
enum NumbersFormat: String, CaseIterable {
    case json, csv, xlsx

    /// Its name for people.
    var title: String { self == .xlsx ? "Excel" : rawValue.uppercased() }

    var type: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8; header=present"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        }
    }

    init(_ name: String?, _ request: Request) throws(ExplorerProblem) {
        if let name {
            guard let format = Self(rawValue: name) else {
                throw .unknown("format", allowed: Self.allCases.map(\.rawValue))
            }
            self = format
            return
        }
        let accepted = FieldSyntax.elements(request.headers[.accept] ?? "").compactMap { offer in
            Self.allCases.first { format in
                offer.lowercased().hasPrefix(format.type.split(separator: ";")[0].lowercased())
            }
        }
        self = accepted.first ?? .json
    }
}
