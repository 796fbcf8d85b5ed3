internal import Foundation
internal import HTTPTypes
internal import Hummingbird
package import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization
package import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongSchedule
package import ThrongStore
package import ThrongSystem

/// The server of `throng try`, on loopback: one page that is alive, and everything else handed on to the daemon.
///
/// - `GET /try`: the page; `GET /try/page.js`, its script.
/// - `GET /try/feed?after=N`: what changed after a version, at once or within five seconds.
/// - `GET /try/now/REPORT`: a report as it would be now.
/// - `GET /try/made/N`: a report that was made.
/// - `GET /try/example`: a batch that is made up from the plan; `POST /try/example` posts it.
package struct TryoutServer: Sendable {
    private let desk: TryoutProxy
    private let example: @Sendable () async -> OutgoingRequest
    private let made: [String]
    private let logger: Logger

    /// The longest wait of a page that asks what is new, and the pause between two looks.
    private static let (wait, pause) = (Duration.seconds(5), Duration.milliseconds(40))
    private static let largest = 8 << 20

    /// - Parameters:
    ///   - example: makes a batch up, and the headers that it is taken with.
    ///   - made: the paths of reports' pages.
    package init(
        _ desk: TryoutProxy, example: @escaping @Sendable () async -> OutgoingRequest, made: [String], logger: Logger
    ) { (self.desk, self.example, self.made, self.logger) = (desk, example, made, logger) }

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
            router: router(), configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { _ in await onRunning() }, logger: logger)
        for one in again { application.addServices(Again(length: one.pause, work: one.work)) }
        try await application.runService()
    }

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        // What a developer posts is shown here: a page whose name leads here reads none of it.
        router.add(middleware: KnownHosts([]))
        router.get("/try") { request, _ in try page(in: desk.language(for: request)) }
        router.get("/try/page.js") { _, _ in
            Response.text(
                .ok, String(decoding: PackageResources.tryout_js, as: UTF8.self), type: "text/javascript; charset=utf-8"
            )
        }
        router.get("/try/feed") { request, _ -> Response in
            let version = request.uri.queryParameters["after"].flatMap { Int($0) } ?? 0
            return try await news(after: version, in: desk.language(for: request))
        }
        router.get("/try/now/:report") { request, context -> Response in
            let html = try await desk.page(of: try context.parameters.require("report"))
            return html.map { .html($0).unkept } ?? nothing(in: desk.language(for: request))
        }
        router.get("/try/made/:place") { request, context -> Response in
            let place = Int(try context.parameters.require("place")) ?? -1
            let path = made.indices.contains(place) ? made[place] : ""
            guard let html = FileManager.default.contents(atPath: path) else {
                return nothing(in: desk.language(for: request))
            }
            return .html(String(decoding: html, as: UTF8.self)).unkept
        }
        router.get("/try/example") { _, _ -> Response in
            let made = await example()
            return Response(
                .ok, ByteBuffer(bytes: made.body),
                [.contentType: "application/json", .authorization: made.headers.first?.value ?? ""])
        }
        router.post("/try/example") { request, _ -> Response in
            guard Self.isOfThisPage(request) else { return .text(.forbidden, "Only this page may do that.\n") }
            return try await handOn(await example())
        }
        for path in ["/", "/**"] {
            for method in [HTTPRequest.Method.get, .post, .options] {
                router.on(RouterPath(path), method: method) { request, _ in try await handOn(request, method) }
            }
        }
        return router
    }

    // MARK: The page

    private func page(in language: Language) throws -> Response {
        let css = PageStyle.base + PageStyle.controls + String(decoding: PackageResources.tryout_css, as: UTF8.self)
        let view: TemplateView = ["css": css, "pageLanguage": language.tag.attributes, "say": language.words]
        let pages = try PageLibrary([("tryout.mustache", PackageResources.tryout_mustache)])
        var response = Response.html(try pages.rendered(view, by: "tryout")).unkept
        response.headers[.contentSecurityPolicy] =
            PagePolicy.text(style: css) + "; script-src 'self'; connect-src 'self'"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func nothing(in language: Language) -> Response { .text(.notFound, language.say(.nothingHere) + "\n") }

    private func news(after version: Int, in language: Language) async throws -> Response {
        let deadline = ContinuousClock.now + Self.wait
        while ContinuousClock.now < deadline, !Task.isShuttingDownGracefully {
            if let news = try desk.feed.news(after: version, in: language) { return Response.json(.ok, news).unkept }
            try await ThrongSchedule.pause(Self.pause)
        }
        return Response(status: .noContent).unkept
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
                OutgoingRequest.Method(rawValue: method.rawValue) ?? .get, request.uri.description, headers: headers,
                body: Array(body.readableBytesView)))
    }

    private func handOn(_ request: OutgoingRequest) async throws -> Response {
        let answer: ReceivedAnswer
        do { answer = try await desk.handOn(request) } catch {
            return .problem(
                .busy("The daemon of this trial does not answer: \(type(of: error)). Its log is serve.log."))
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers where !Self.own.contains(name) {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        return Response(.init(code: answer.status), ByteBuffer(bytes: answer.body), headers)
    }
}

/// Hands requests on to the daemon of a trial, and notes for the page what became of each batch.
///
/// The daemon knows nothing of it: it answers a client as it always does. What the page shows is what the client sent, the
/// daemon's answer, and the daemon's own preview of it.
package final class TryoutProxy: Sendable {
    let feed: TryoutFeed
    private let connection: HTTPConnection
    private let daemon: String
    private let store: ReleaseStore
    private let releases: ReleaseScheduler
    private let reports: ReportScheduler
    private let state: Mutex<State>
    private let clock: UnixClock

    private struct State {
        var plan: Plan
        var lookedAt = ContinuousClock.now
    }

    /// The time for which a daemon that starts anew is waited for.
    private static let patience = Duration.seconds(20)
    /// The time after a batch in which PostgreSQL may still get it.
    private static let flush = (first: Duration.milliseconds(1200), last: Duration.seconds(6))
    /// The largest body that is handed on, and the largest answer. Unit: bytes.
    private static let largest = 8 << 20

    /// - Parameters:
    ///   - daemon: the address of its clients' port.
    ///   - authorities: certificates that vouch for it; nil for the system's.
    package init(
        _ feed: TryoutFeed, plan: Plan, daemon: String, authorities: String?, settings: ConnectionSettings,
        folder: String, clock: UnixClock = .system
    ) {
        (self.feed, self.daemon, self.clock) = (feed, daemon, clock)
        var rules = ConnectionRules()
        rules.authorities = authorities
        connection = HTTPConnection(rules)
        store = ReleaseStore(settings)
        releases = ReleaseScheduler(store: store, rules: .system)
        reports = ReportScheduler(store: store, rules: .system, folder: folder)
        state = Mutex(State(plan: plan))
    }

    /// Closes its connection to PostgreSQL.
    package func close() { store.close(within: .seconds(2)) }

    /// Returns the language that a browser asks for, of those in which all of the plan's texts are: no page mixes two.
    func language(for request: Request) -> Language {
        state.withLock { $0.plan.labelLanguage(for: Plan.wanted(request)) }.flatMap { Language($0) } ?? .english
    }

    /// Goes on by another plan.
    package func set(_ plan: Plan) { state.withLock { $0.plan = plan } }

    // MARK: Requests

    /// Returns the daemon's answer to a request for a path. Whatever is a batch or a withdrawal gets an entry on the page.
    func handOn(_ request: OutgoingRequest) async throws -> ReceivedAnswer {
        let path = request.url.prefix { $0 != "?" }
        let isWithdrawal = path == "/v1/withdraw"
        guard request.method == .post, isWithdrawal || path == "/v1/batches" else {
            return try await answer(to: request)
        }
        let isGzip = request.headers.contains {
            $0.name == "content-encoding" && $0.value.lowercased().contains("gzip")
        }
        var trial = request
        trial.url = "/v1/preview"
        let preview = isWithdrawal ? nil : try await answer(to: trial)
        let answer = try await answer(to: request)
        let batch = TryoutBatch(
            feed.nextNumber(), plan: state.withLock { $0.plan }, now: clock.now, body: request.body, isGzip: isGzip,
            status: answer.status, answer: answer.body, preview: preview?.status == 200 ? preview?.body : nil,
            isWithdrawal: isWithdrawal, hasCome: feed.hasCome)
        feed.put(batch, isNew: true)
        return answer
    }

    private func answer(to request: OutgoingRequest) async throws -> ReceivedAnswer {
        var request = request
        request.url = daemon + request.url
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                let answer = try await connection.answer(to: request, within: .seconds(30), bodyLimit: Self.largest)
                guard answer.status == 503, ContinuousClock.now < deadline else { return answer }
            } catch {
                // While it starts by another plan it listens nowhere.
                guard ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: Numbers

    /// Looks up which numbers the newest batches went into, once PostgreSQL has them.
    package func look() async {
        let (batches, age) = feed.newest(20)
        let waiting = batches.contains { $0.isCounted && $0.numbers == nil }
        let since = ContinuousClock.now - state.withLock { $0.lookedAt }
        guard age > Self.flush.first, since > .seconds(1), waiting || age < Self.flush.last else { return }
        // PostgreSQL is away while the daemon starts anew; the next look finds it.
        guard let found = try? await numbers() else { return }
        for var batch in batches where batch.isCounted {
            batch.numbers = found
            feed.put(batch, isNew: false)
        }
    }

    private func numbers() async throws -> TryoutNumbers {
        let plan = state.withLock { $0.plan }
        let found = try await TryoutNumbers(of: plan, at: clock.now, releases, store)
        state.withLock { $0.lookedAt = .now }
        return found
    }

    /// Returns the page of a report as it would be if its period were over now; nil if the plan has no such report, or
    /// its period is made of others.
    func page(of name: String) async throws -> String? {
        let plan = state.withLock { $0.plan }
        guard let report = plan.report(ReportName(name)) else { return nil }
        let period = plan.calendar.period(report.period, containing: clock.now)
        let decided = try await numbers().releases
        guard decided.contains(where: { $0.header.period == period }) else { return nil }
        return try await reports.trial(of: report, plan: plan, period: period, by: decided).html()
    }
}
