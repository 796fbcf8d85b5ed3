internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongReport

/// The pages' templates and style, compiled into the program.
struct PortalPages: Sendable {
    private let library: PageLibrary
    private let css: String
    private let policy: String
    private let house: String

    init(house: String) throws(ReportError) {
        self.house = house
        library = try PageLibrary(
            [
                ("top", PackageResources.top_mustache),
                ("bottom", PackageResources.bottom_mustache),
                ("signin", PackageResources.signin_mustache),
                ("sessions", PackageResources.sessions_mustache),
                ("notice", PackageResources.notice_mustache),
                ("reports", PackageResources.reports_mustache),
                ("feed", PackageResources.feed_mustache),
                ("comparison", PackageResources.comparison_mustache),
                ("operator", PackageResources.operator_mustache),
                ("catalogue", PackageResources.catalogue_mustache),
                ("explorer", PackageResources.explorer_mustache),
                ("problem", PackageResources.problem_mustache),
                ("hatch", PackageResources.hatch_mustache),
            ] + Charts.templates)
        css = PageStyle.base + PageStyle.controls + String(decoding: PackageResources.portal_css, as: UTF8.self)
        policy = PagePolicy.text(style: css)
    }

    func frame(_ title: String, visitor: String? = nil) -> PageFrame {
        PageFrame(pageTitle: title, css: css, house: house, visitors: [visitor].compactMap(\.self))
    }

    /// - Parameter link: signs in instead of a token.
    func signIn(status: HTTPResponse.Status = .ok, problem: String? = nil, link: String? = nil) throws -> Response {
        let view: TemplateView = [
            "frame": frame("Sign in"), "problems": [problem].compactMap(\.self), "links": [link].compactMap(\.self),
        ]
        return try response(view, by: "signin", status: status)
    }

    func notice(_ frame: PageFrame, _ heading: String, _ text: String, status: HTTPResponse.Status) throws -> Response {
        let view: TemplateView = ["frame": frame, "heading": heading, "text": text]
        return try response(view, by: "notice", status: status)
    }

    /// A feed of Atom (RFC 4287) as an answer that no cache keeps.
    func feed(_ view: TemplateView) throws -> Response {
        var response = try response(view, by: "feed")
        response.headers[.contentType] = "application/atom+xml; charset=utf-8"
        return response
    }

    /// A page as an answer that no cache keeps; it runs no script but one from here, if it has one.
    func response(
        _ view: Any, by template: String, status: HTTPResponse.Status = .ok, hasScript: Bool = false
    ) throws -> Response {
        let html = try library.rendered(view, by: template)
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .contentLength: String(html.utf8.count),
            .contentSecurityPolicy: policy + (hasScript ? "; script-src 'self'" : ""),
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
            .referrerPolicy: "same-origin",
        ]
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

/// The frame around a page's own part: its title, its style, who looks.
struct PageFrame {
    let pageTitle: String
    let css: String
    let house: String
    /// One, or none where nobody has signed in.
    let visitors: [String]
}
