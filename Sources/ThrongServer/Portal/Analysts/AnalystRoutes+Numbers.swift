internal import HTTPTypes
internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

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
