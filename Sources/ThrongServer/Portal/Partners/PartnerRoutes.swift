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
    let plans: [Plan]

    /// A partner that has signed in.
    private struct Guest {
        let token: AccessToken
        let partner: Partner
        let plan: Plan

        func frame(_ title: String, _ pages: PortalPages) -> PageFrame { pages.frame(title, visitor: partner.title) }
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/reports") { request, _ in
            try await with(request) { guest in
                let files = try await access.files(of: guest.partner.name, app: guest.plan.app.name)
                var view = ReportsView.of(
                    files, plan: guest.plan, partner: guest.partner.title,
                    part: request.uri.queryParameters["part"].flatMap { Int($0) } ?? 1,
                    frame: guest.frame("Reports", pages))
                view["feeds"] = [try await access.feedKey(of: guest.token.id)].compactMap { key in
                    key.map { "\(Self.place(of: request))/reports/feed?key=\($0)" }
                }
                return try pages.response(view, by: "reports")
            }
        }
        router.get("/reports/feed") { request, _ in
            guard let key = request.uri.queryParameters["key"],
                let guest = guest(try await access.token(ofFeed: key))
            else { return Response(status: .forbidden) }
            let files = try await access.files(of: guest.partner.name, app: guest.plan.app.name)
            return try pages.feed(
                FeedView.of(files, plan: guest.plan, partner: guest.partner, at: Self.place(of: request)))
        }
        router.get("/reports/:report/compare") { request, context in
            try await with(request) { guest in
                guard let report = context.parameters.get("report"),
                    let from = request.uri.queryParameters["from"], let to = request.uri.queryParameters["to"]
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

    private func with(
        _ request: Request, _ answer: (Guest) async throws -> Response
    ) async throws -> Response {
        guard let guest = guest(try await door.visitor(of: request)) else {
            return try pages.signIn(status: .unauthorized)
        }
        return try await answer(guest)
    }

    /// The partner of a token; nil where it is none's, or opens nothing.
    private func guest(_ token: AccessToken?) -> Guest? {
        guard let token, token.isGood(at: door.now()), case .partner(let name, let app) = token.role,
            let plan = plans.first(where: { $0.app.name == app }),
            // The label names who receives numbers: a partner that the plan has no more is shown none.
            let partner = plan.partners.first(where: { $0.name == name })
        else { return nil }
        return Guest(token: token, partner: partner, plan: plan)
    }

    /// The pages' own address, as the visitor's browser has it: without TLS on the machine itself alone.
    private static func place(of request: Request) -> String {
        let authority = request.head.authority ?? "localhost"
        let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
        return "\(isLocal ? "http" : "https")://\(authority)"
    }

    private func missing(_ guest: Guest) throws -> Response {
        try pages.notice(
            guest.frame("Not found", pages), "There is no such report", "It may be too old, or was never made for you.",
            status: .notFound)
    }

    private func comparison(
        _ report: ReportName, from: String, to: String, _ guest: Guest
    ) async throws -> Response {
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
            return try pages.notice(
                guest.frame("Nothing to compare", pages), "Choose two different periods",
                "A period has nothing to be compared with in itself. Go back, and choose another one beside it.",
                status: .badRequest)
        }
        let view = ComparisonView(
            documents[0], documents[1],
            learned: Set(guest.plan.dimensions.filter(\.isRevealed).map(\.name.text)),
            frame: guest.frame("Compare \(documents[1].title)", pages))
        return try pages.response(view, by: "comparison")
    }

    private func file(_ name: String, _ bytes: [UInt8]) -> Response {
        var headers: HTTPFields = [
            .contentLength: String(bytes.count),
            .cacheControl: "private, no-store",
            .xContentTypeOptions: "nosniff",
            // The page brings its own style; nothing else may happen in it.
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation",
        ]
        headers[.contentType] = ReportFile(name: name, bytes: bytes).mediaType
        if !name.hasSuffix(".html") { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
