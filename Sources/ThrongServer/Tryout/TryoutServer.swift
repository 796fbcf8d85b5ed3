internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
package import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongSystem

/// The server of `throng try`, on loopback: one page that is alive, and everything else handed on to the daemon.
///
/// - `GET /try`: the page; `GET /try/page.js`, its script.
/// - `GET /try/feed?after=N`: what changed after a version, at once or within five seconds.
/// - `GET /try/now/REPORT`: a report as it would be now.
/// - `GET /try/made/N`: a report that was made.
/// - `GET /try/example`: a batch that is made up from the plan; `POST /try/example` posts it.
package struct TryoutServer: Sendable {
    private let desk: TryoutDesk
    private let example: @Sendable () async -> [UInt8]
    private let made: [String]
    private let logger: Logger

    /// The longest wait of a page that asks what is new, and the pause between two looks.
    private static let (wait, pause) = (Duration.seconds(5), Duration.milliseconds(40))
    /// The largest body of a request. Unit: bytes.
    private static let largest = 8 << 20

    /// - Parameters:
    ///   - example: makes a batch up.
    ///   - made: the paths of reports' pages.
    package init(
        _ desk: TryoutDesk, example: @escaping @Sendable () async -> [UInt8], made: [String], logger: Logger
    ) {
        (self.desk, self.example, self.made, self.logger) = (desk, example, made, logger)
    }

    /// Something that is done again and again while it serves.
    private struct Again: Service {
        let length: Duration
        let work: @Sendable () async -> Void

        func run() async throws {
            while !Task.isShuttingDownGracefully {
                await work()
                try await ThrongSchedule.pause(length)
            }
        }
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - again: what is done again and again meanwhile, with the pause between two times.
    ///   - onRunning: called once it listens.
    package func run(
        port: Int, again: [(pause: Duration, work: @Sendable () async -> Void)],
        onRunning: @escaping @Sendable () async -> Void
    ) async throws {
        var application = Application(
            router: router(),
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { _ in await onRunning() }, logger: logger)
        for one in again { application.addServices(Again(length: one.pause, work: one.work)) }
        try await application.runService()
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        // What a developer posts is shown here: a page whose name leads here reads none of it.
        router.add(middleware: KnownHosts([]))
        router.get("/try") { _, _ in page() }
        router.get("/try/page.js") { _, _ in
            Response.text(
                .ok, String(decoding: PackageResources.tryout_js, as: UTF8.self), type: "text/javascript; charset=utf-8"
            )
        }
        router.get("/try/feed") { request, _ -> Response in
            try await news(after: request.uri.queryParameters["after"].flatMap { Int($0) } ?? 0)
        }
        router.get("/try/now/:report") { _, context -> Response in
            let html = try await desk.page(of: try context.parameters.require("report"))
            return html.map(Self.report) ?? .text(.notFound, "No numbers of its period are there yet.\n")
        }
        router.get("/try/made/:place") { _, context -> Response in
            let place = Int(try context.parameters.require("place")) ?? -1
            let path = made.indices.contains(place) ? made[place] : ""
            guard let html = FileManager.default.contents(atPath: path) else {
                return .text(.notFound, "There is no such report.\n")
            }
            return Self.report(String(decoding: html, as: UTF8.self))
        }
        router.get("/try/example") { _, _ -> Response in
            .json(.ok, String(decoding: await example(), as: UTF8.self))
        }
        router.post("/try/example") { request, _ -> Response in
            guard Self.isOfThisPage(request) else { return .text(.forbidden, "Only this page may do that.\n") }
            return try await handOn(.init(method: .post, path: "/v1/batches", headers: [], body: await example()))
        }
        for path in ["/", "/**"] {
            for method in [HTTPRequest.Method.get, .post, .options] {
                router.on(RouterPath(path), method: method) { request, _ in try await handOn(request, method) }
            }
        }
        return router
    }

    // MARK: The page

    private func page() -> Response {
        let style =
            PageStyle.base + PageStyle.controls + String(decoding: PackageResources.tryout_css, as: UTF8.self)
        let html = String(decoding: PackageResources.tryout_html, as: UTF8.self).replacing("STYLE", with: style)
        let digest = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        var response = Response.text(.ok, html, type: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'sha256-\(digest)'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func news(after version: Int) async throws -> Response {
        let deadline = ContinuousClock.now + Self.wait
        while ContinuousClock.now < deadline, !Task.isShuttingDownGracefully {
            if let news = try desk.feed.news(after: version) { return Self.unkept(.json(.ok, news)) }
            try await ThrongSchedule.pause(Self.pause)
        }
        return Self.unkept(Response(status: .noContent))
    }

    private static func report(_ html: String) -> Response {
        unkept(.text(.ok, html, type: "text/html; charset=utf-8"))
    }

    private static func unkept(_ response: Response) -> Response {
        var response = response
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// False for a page of another site, by what the browser says of it.
    private static func isOfThisPage(_ request: Request) -> Bool {
        guard let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] else { return true }
        return site == "same-origin" || site == "none"
    }

    // MARK: Handing on

    /// Headers that are about one connection, or that are written anew.
    private static let own: Set = [
        "connection", "content-length", "date", "host", "keep-alive", "transfer-encoding", "accept-encoding", "te",
        "upgrade", "expect",
    ]

    private func handOn(_ request: Request, _ method: HTTPRequest.Method) async throws -> Response {
        let body = try await request.body.collect(upTo: Self.largest)
        let headers = request.headers.filter { !Self.own.contains($0.name.canonicalName) }
            .map { (name: $0.name.canonicalName, value: $0.value) }
        return try await handOn(
            .init(
                method: OutgoingRequest.Method(rawValue: method.rawValue) ?? .get, path: request.uri.description,
                headers: headers, body: Array(body.readableBytesView)))
    }

    private func handOn(_ request: TryoutDesk.Handed) async throws -> Response {
        let answer: ReceivedAnswer
        do {
            answer = try await desk.handOn(request)
        } catch {
            return .problem(
                .busy("The daemon of this trial does not answer: \(type(of: error)). Its log is serve.log."))
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers where !Self.own.contains(name) {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        headers[.contentLength] = String(answer.body.count)
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
