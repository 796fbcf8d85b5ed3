internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongReport
internal import ThrongStore

/// `/explore`: what is released, for analysts, as the database's role `throng_analyst` sees it.
struct AnalystRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let store: AnalystStore
    let titles: ExplorerTitles

    func add(to router: Router<BasicRequestContext>) {
        router.get("/explore") { request, _ in
            try await with(request) { query in
                let metrics = try await store.metrics()
                guard !query.names.isEmpty else {
                    let view = CatalogueView.of(metrics, titles: titles, frame: frame("Explore"))
                    return try pages.response(view, by: "catalogue")
                }
                let answer = try await answer(query, metrics)
                let view = ExplorerView.of(answer, metrics: metrics, frame: frame(titles.metric(answer.choice.metric)))
                return try pages.response(view, by: "explorer", hasScript: true)
            }
        }
        router.get("/explore.csv") { request, _ in
            try await with(request) { query in
                let answer = try await answer(query, try await store.metrics())
                var response = Self.file(
                    answer.csv, as: "text/csv; charset=utf-8; header=present", name: answer.fileName)
                // Source: RFC 8288, for programs that read part after part.
                if answer.choice.part < answer.parts, let link = HTTPField.Name("Link") {
                    let next = answer.choice.address(of: "/explore.csv", part: answer.choice.part + 1)
                    response.headers[link] = "<\(next)>; rel=\"next\""
                }
                return response
            }
        }
        router.get("/copy.js") { _, _ in
            Self.file(String(decoding: PackageResources.copy_js, as: UTF8.self), as: "text/javascript; charset=utf-8")
        }
    }

    private func answer(_ query: AddressQuery, _ metrics: [AnalystMetric]) async throws -> ExplorerAnswer {
        let (metric, kind) = try ExplorerChoice.metric(in: query, of: metrics)
        let choice = try ExplorerChoice(query, metric, kind, try await store.shape(of: metric, kind: kind))
        let rows = try await store.rows(of: choice.question)
        let isLast = rows.count < AnalystQuestion.mostRows && (choice.part == 1 || !rows.isEmpty)
        let total = isLast ? choice.question.offset + rows.count : try await store.count(of: choice.question)
        guard choice.part == 1 || !rows.isEmpty else {
            let parts = AnalystQuestion.parts(ofRows: total)
            throw ExplorerProblem.unknown("part", allowed: (1...parts).map { String($0) })
        }
        var whole: [AnalystRow] = []
        if let question = choice.whole { whole = try await store.rows(of: question) }
        return ExplorerAnswer(choice, rows: rows, total: total, whole: whole, titles: titles)
    }

    /// Answers an analyst, also where there is no answer; sends anybody else away.
    private func with(
        _ request: Request, _ answer: (AddressQuery) async throws -> Response
    ) async throws -> Response {
        guard let visitor = try await door.visitor(of: request) else { return try pages.signIn(status: .unauthorized) }
        guard visitor.role == .analysis else {
            return try pages.notice(
                pages.frame("Not for you", visitor: "Signed in"), "This page is for analysts",
                "The token that you signed in with opens other pages.", status: .forbidden)
        }
        do {
            return try await answer(try AddressQuery(request.uri.query))
        } catch let problem as ExplorerProblem {
            return try response(problem)
        } catch StoreError.busy {
            return try response(.busy)
        } catch let error as PostgresError {
            guard let problem = ExplorerProblem(error) else { throw error }
            return try response(problem)
        }
    }

    private func response(_ problem: ExplorerProblem) throws -> Response {
        let view: TemplateView = [
            "frame": frame(problem.heading), "heading": problem.heading, "text": problem.text,
            "allowed": problem.allowed,
        ]
        var response = try pages.response(view, by: "problem", status: problem.status)
        if problem.status == .serviceUnavailable { response.headers[.retryAfter] = "\(AnalystStore.seconds)" }
        return response
    }

    private func frame(_ title: String) -> PageFrame { pages.frame(title, visitor: "Analyst") }

    private static func file(_ text: String, as type: String, name: String? = nil) -> Response {
        var headers: HTTPFields = [
            .contentType: type, .contentLength: String(text.utf8.count), .cacheControl: "private, no-store",
            .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// The reason why an address shows no numbers, for whoever looks. It says what is allowed, never what was found.
struct ExplorerProblem: Error {
    let status: HTTPResponse.Status
    let heading: String
    let text: String
    let allowed: [String]

    private static let most = 60

    init(_ status: HTTPResponse.Status, _ heading: String, _ text: String, allowed: [String] = []) {
        self.status = status
        self.heading = heading
        self.text = text
        self.allowed =
            allowed.count > Self.most
            ? allowed.prefix(Self.most) + ["and \(allowed.count - Self.most) more"] : allowed
    }

    /// Something that the address names is not there.
    static func unknown(_ parameter: String, allowed: [String]) -> ExplorerProblem {
        ExplorerProblem(
            .badRequest, "This address can\u{2019}t be read",
            "What it says for \u{201c}\(parameter)\u{201d} is not there. Possible are:", allowed: allowed)
    }
}

extension ExplorerProblem {
    /// The problem of too many questions: as many are under way as are answered at once, and as may wait.
    static let busy = Self(.serviceUnavailable, "Too many questions at once", "Ask again in a few seconds.")

    /// Tells why PostgreSQL gave no rows; nil where neither whoever asked nor the operator can do something about it.
    init?(_ error: PostgresError) {
        switch error {
        case .statementFailed(_, SQLState("57014"), _), .timedOut:
            self.init(
                .serviceUnavailable, "This takes too long",
                "An answer may take \(AnalystStore.seconds) seconds. Pick fewer periods, or fewer dimensions.")
        case .statementFailed(_, SQLState("42501"), _):
            self.init(
                .serviceUnavailable, "This daemon may not ask as an analyst",
                "The operator has to grant the role throng_analyst to the role that the daemon logs in as.")
        case .unreachable, .connectionLost:
            self.init(.serviceUnavailable, "The database is away", "Ask again in a minute.")
        default: return nil
        }
    }
}
