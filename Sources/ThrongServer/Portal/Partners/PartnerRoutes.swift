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
        let partner: PartnerName
        let title: String
        let plan: Plan

        func frame(_ title: String, _ pages: PortalPages) -> PageFrame { pages.frame(title, visitor: self.title) }
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/reports") { request, _ in
            try await with(request) { guest in
                let files = try await access.files(of: guest.partner, app: guest.plan.app.name)
                let view = ReportsView.of(
                    files, plan: guest.plan, partner: guest.title,
                    part: request.uri.queryParameters["part"].flatMap { Int($0) } ?? 1,
                    frame: guest.frame("Reports", pages))
                return try pages.response(view, by: "reports")
            }
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
                        of: name, report: ReportName(report), partner: guest.partner, app: guest.plan.app.name)
                else { return try missing(guest) }
                return file(name, bytes)
            }
        }
    }

    private func with(
        _ request: Request, _ answer: (Guest) async throws -> Response
    ) async throws -> Response {
        guard let visitor = try await door.visitor(of: request), case .partner(let name, let app) = visitor.role,
            let plan = plans.first(where: { $0.app.name == app }),
            // The label names who receives numbers: a partner that the plan has no more is shown none.
            let partner = plan.partners.first(where: { $0.name == name })
        else { return try pages.signIn(status: .unauthorized) }
        return try await answer(Guest(partner: name, title: partner.title, plan: plan))
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
                    partner: guest.partner, app: guest.plan.app.name)
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
