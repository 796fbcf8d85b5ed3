internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// `/reports`: what one partner was given. To anybody else's report the answer is the same as to one that does not exist.
struct PartnerRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore

    /// A partner that has signed in.
    private struct Guest {
        let token: AccessToken
        let partner: Partner
        /// The plan, in the language of the guest's pages.
        let plan: Plan
        let language: Language
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/reports") { request, _ in
            try await with(request) { guest in
                let files = try await access.files(of: guest.partner.name, app: guest.plan.app.name)
                var view = ReportsView.of(
                    files, plan: guest.plan, partner: guest.partner.title,
                    part: request.uri.queryParameters["part"].flatMap { Int($0) } ?? 1,
                    frame: pages.frame(guest.language.say(.reports), in: guest.language, visitor: guest.partner.title))
                view["feeds"] = [try await access.feedKey(of: guest.token.id)].compactMap { key in
                    key.map { "\(Self.place(of: request))/reports/feed?key=\($0)" }
                }
                return try pages.response(view, by: "reports")
            }
        }
        router.get("/reports/feed") { request, _ in
            guard let key = request.uri.queryParameters["key"],
                let guest = guest(try await access.token(ofFeed: key), request)
            else { return Response(status: .forbidden) }
            let files = try await access.files(of: guest.partner.name, app: guest.plan.app.name)
            return try pages.feed(
                FeedView.of(
                    files, plan: guest.plan, partner: guest.partner, at: Self.place(of: request), in: guest.language))
        }
        router.get("/reports/:report/compare") { request, context in
            try await with(request) { guest in
                guard let report = context.parameters.get("report"), let from = request.uri.queryParameters["from"],
                    let to = request.uri.queryParameters["to"]
                else { return try missing(guest) }
                return try await comparison(ReportName(report), from: String(from), to: String(to), guest)
            }
        }
        router.get("/reports/:report/:file") { request, context in
            try await with(request) { guest in
                guard let report = context.parameters.get("report"), let name = context.parameters.get("file"),
                    let bytes = try await access.contents(
                        of: name, report: ReportName(report), partner: guest.partner.name, app: guest.plan.app.name)
                else { return try missing(guest) }
                try await access.noteReading(of: ReportName(report), by: guest.token.id, now: door.now())
                return file(name, bytes)
            }
        }
    }

    private func with(_ request: Request, _ answer: (Guest) async throws -> Response) async throws -> Response {
        guard let guest = guest(try await door.visitor(of: request), request) else {
            return try pages.signIn(for: request, status: .unauthorized)
        }
        return try await answer(guest)
    }

    /// The partner of a token; nil where it is none's, or opens nothing.
    private func guest(_ token: AccessToken?, _ request: Request) -> Guest? {
        guard let token, token.isGood(at: door.now()), case .partner(let name, let app) = token.role,
            let plan = pages.plans.first(where: { $0.app.name == app }),
            // The label names who receives numbers: a partner that the plan has no more is shown none.
            let partner = plan.partners.first(where: { $0.name == name })
        else { return nil }
        let language = pages.language(of: token.role, for: request)
        return Guest(token: token, partner: partner, plan: plan.translated(into: language.tag), language: language)
    }

    /// The pages' own address, as the visitor's browser has it: without TLS on the machine itself alone.
    static func place(of request: Request) -> String {
        let authority = request.head.authority ?? "localhost"
        let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
        return "\(isLocal ? "http" : "https")://\(authority)"
    }

    private func missing(_ guest: Guest) throws -> Response {
        try pages.notice(.missing, in: guest.language, visitor: guest.partner.title, status: .notFound)
    }

    private func comparison(_ report: ReportName, from: String, to: String, _ guest: Guest) async throws -> Response {
        var documents: [ReportReading] = []
        for period in [from, to] {
            guard
                let bytes = try await access.contents(
                    of: ReportFile.stem(report: report.text, period: period) + ".json", report: report,
                    partner: guest.partner.name, app: guest.plan.app.name)
            else { return try missing(guest) }
            documents.append(try ReportReading(json: bytes))
        }
        guard documents[0].period.label != documents[1].period.label else {
            return try pages.notice(.same, in: guest.language, visitor: guest.partner.title, status: .badRequest)
        }
        // Titles and buckets are in the language of the files.
        let language = documents[1].language ?? guest.language
        let plan = guest.plan.translated(into: language.tag)
        let view = ComparisonView(
            documents[0], documents[1], learned: Set(plan.dimensions.filter(\.isRevealed).map(\.name.text)),
            nouns: Dictionary(plan.metrics.map { ($0.name.text, $0.noun) }) { first, _ in first }.compactMapValues(
                \.self), frame: pages.frame(documents[1].title, in: language, visitor: guest.partner.title))
        return try pages.response(view, by: "comparison")
    }

    /// The policy of a report's page, which brings its own style; nothing else may happen in it.
    static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation"

    private func file(_ name: String, _ bytes: [UInt8]) -> Response {
        var headers: HTTPFields = [
            .contentLength: String(bytes.count), .cacheControl: "private, no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: Self.policy,
        ]
        headers[.contentType] = ReportFile(name: name, bytes: bytes).mediaType
        if !name.hasSuffix(".html") { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
