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
    let signIn: SignInRoutes
    let access: AccessStore
    let plans: [Plan]
    let house: String

    /// A partner that has signed in.
    private struct Guest {
        let partner: PartnerName
        let title: String
        let plan: Plan

        func frame(_ title: String, _ pages: PortalPages, _ house: String) -> PageFrame {
            pages.frame(title, house: house, visitor: self.title)
        }
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/reports") { request, _ in
            try await with(request) { guest in
                let files = try await access.files(of: guest.partner, app: guest.plan.app.name)
                let view = ReportsView(
                    files, plan: guest.plan, partner: guest.title,
                    part: request.uri.queryParameters["part"].flatMap { Int($0) } ?? 1,
                    frame: guest.frame("Reports", pages, house))
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

    /// Answers a partner; asks anybody else to sign in.
    private func with(
        _ request: Request, _ answer: (Guest) async throws -> Response
    ) async throws -> Response {
        guard let visitor = try await door.visitor(of: request), case .partner(let name, let app) = visitor.role,
            let plan = plans.first(where: { $0.app.name == app }),
            // The label names who receives numbers: a partner that the plan has no more is shown none.
            let partner = plan.partners.first(where: { $0.name == name })
        else { return try signIn.page(status: .unauthorized) }
        return try await answer(Guest(partner: name, title: partner.title, plan: plan))
    }

    private func missing(_ guest: Guest) throws -> Response {
        try notice(
            guest, "Not found", heading: "There is no such report",
            text: "It may be too old, or was never made for you.", status: .notFound)
    }

    private func unchosen(_ guest: Guest) throws -> Response {
        try notice(
            guest, "Nothing to compare", heading: "Choose two different periods",
            text: "A period has nothing to be compared with in itself. Go back, and choose another one beside it.",
            status: .badRequest)
    }

    private func notice(
        _ guest: Guest, _ title: String, heading: String, text: String, status: HTTPResponse.Status
    ) throws -> Response {
        try pages.response(
            NoticeView(frame: guest.frame(title, pages, house), heading: heading, text: text), by: "notice",
            status: status)
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
        guard documents[0].period.label != documents[1].period.label else { return try unchosen(guest) }
        let view = ComparisonView(
            documents[0], documents[1],
            learned: Set(guest.plan.dimensions.filter(\.isRevealed).map(\.name.text)),
            frame: guest.frame("Compare \(documents[1].title)", pages, house))
        return try pages.response(view, by: "comparison")
    }

    /// A file of a report: a page to read, anything else to keep.
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
