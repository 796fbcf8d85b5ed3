internal import Hummingbird
internal import ThrongReport
internal import ThrongSchedule

/// `GET /verify`, the page by which anybody checks a signed report, and `GET /keys.json`, the keys that sign: both without a
/// sign-in.
struct VerifyRoutes: Sendable {
    private let page: ServedText
    private let signing: ReportKeyFolder

    /// - Throws: ``ReportError/template(name:reason:)`` where the built-in template does not parse.
    init(signing: ReportKeyFolder) throws(ReportError) {
        self.signing = signing
        let page = try VerifyPage()
        self.page = ServedText(
            page.html, type: "text/html; charset=utf-8", cachedFor: 3600,
            headers: [
                .contentSecurityPolicy: PagePolicy.text(style: page.style, script: page.script),
                .referrerPolicy: "no-referrer",
            ])
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/verify") { request, _ in page.response(to: request) }
        router.get("/keys.json") { request, _ in
            let list = try signing.list()
            guard !list.keys.isEmpty else { return Response(status: .notFound) }
            return ServedText(list.json, type: "application/json", cachedFor: 300).response(to: request)
        }
    }
}
