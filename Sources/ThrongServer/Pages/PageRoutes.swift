internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongReport
internal import ThrongWire

/// `GET /` and `GET /apps/APP`, which show everybody what is counted, and `POST /apps/APP`, which tries an event.
final class PageRoutes: Sendable {
    private let plans: [Plan]
    /// Tries events; nil while nothing can be counted.
    private let trials: PreviewTrial?
    private let clock: UnixClock
    /// The pages made so far. They change with the day, because metrics expire.
    private let pages = Mutex<[Key: ServedText]>([:])

    private struct Key: Hashable {
        /// The index of the app's plan; nil for the page over all apps.
        let app: Int?
        let root: String
        let day: CalendarDate
        /// The language; nil for readers of none that the plan has.
        let language: LanguageTag?
    }

    init(plans: [Plan], ingestion: Ingestion?, clock: UnixClock) {
        self.plans = plans
        self.clock = clock
        trials = ingestion.map { PreviewTrial(ingestion: $0, clock: clock) }
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/") { [self] request, _ in
            try page(of: plans.count == 1 ? 0 : nil, root: "", for: request)
        }
        router.get("/apps/:app") { [self] request, context -> Response in
            guard let place = place(of: try context.parameters.require("app")) else { return .refusal(.unknownApp) }
            return try page(of: place, root: "../", for: request)
        }
        guard let trials else { return }
        router.post("/apps/:app") { [self] request, context -> Response in
            guard let place = place(of: try context.parameters.require("app")) else { return .refusal(.unknownApp) }
            do {
                let plan = plans[place].translated(into: plans[place].language(for: request))
                let trial = try await trials.trial(request, of: plan)
                let page = try plan.label(today: today(of: plan)).page(root: "../", trial: trial)
                var response = Response.text(.ok, page.html, type: "text/html; charset=utf-8")
                response.headers.append(contentsOf: Self.headers(of: page))
                response.headers[.cacheControl] = "no-store"
                return response
            } catch let error as IntakeError {
                return .refusal(error)
            }
        }
    }

    private func place(of app: String) -> Int? {
        plans.firstIndex { $0.app.name.text.utf8.elementsEqual(app.utf8) }
    }

    private func today(of plan: Plan?) -> CalendarDate {
        plan?.labelDay(at: clock.now) ?? PeriodCalendar.utc.date(at: clock.now)
    }

    private func page(of app: Int?, root: String, for request: Request) throws -> Response {
        let language = app.flatMap { plans[$0].language(for: request) }
        let key = Key(app: app, root: root, day: today(of: app.map { plans[$0] }), language: language)
        if let known = pages.withLock({ $0[key] }) { return known.response(to: request) }
        let page =
            if let app {
                try plans[app].translated(into: language).label(today: key.day).page(root: root)
            } else {
                try LabelPage.index(of: plans.map { $0.label(today: key.day) })
            }
        let served = ServedText(
            page.html, type: "text/html; charset=utf-8", cachedFor: 300, headers: Self.headers(of: page),
            isTranslated: app.map { plans[$0].isTranslated } ?? false)
        pages.withLock { pages in
            pages = pages.filter { $0.key.app != app || $0.key.day == key.day }
            pages[key] = served
        }
        return served.response(to: request)
    }

    /// Returns headers by which a page loads nothing, runs nothing, is framed by nobody, and sends forms nowhere else.
    private static func headers(of page: LabelPage) -> HTTPFields {
        let digest = Data(SHA256.hash(data: Data(page.style.utf8))).base64EncodedString()
        return [
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'self'; "
                + "frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff",
            .referrerPolicy: "no-referrer",
        ]
    }
}

/// The routes of scripts and of the API's description.
///
/// - `GET /throng.js`: the beacon for web pages.
/// - `GET /throng-oblivious.js`: its code for sealing, if a plan has a relay.
/// - `GET /throng-panel.js`: the question and the inspection beside it.
/// - `GET /v1/openapi.json`: the requests that may be sent here, and their answers.
struct ScriptRoutes {
    private let beacon = Self.served(Self.text)
    private let seal: ServedText?
    private let panel = Self.served(Self.panelText)
    private let description = ServedText(
        String(decoding: PackageResources.openapi_json, as: UTF8.self), type: "application/json", cachedFor: 3600)

    /// - Parameter identity: the gateway's identity; nil if nothing is taken yet.
    init(identity: GatewayIdentity?) {
        seal = identity.map { Self.served(Self.sealText.replacing("GATEWAY", with: $0.text)) }
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/throng-oblivious.js") { request, _ in
            seal?.response(to: request) ?? .problem(.busy("Nothing can be sealed yet."))
        }
        router.get("/throng.js") { request, _ in beacon.response(to: request) }
        router.get("/throng-panel.js") { request, _ in panel.response(to: request) }
        router.get("/v1/openapi.json") { request, _ in description.response(to: request) }
    }

    private static func served(_ text: String) -> ServedText {
        ServedText(
            text, type: "text/javascript; charset=utf-8", cachedFor: 3600,
            headers: [.crossOriginResourcePolicy: "cross-origin"])
    }

    /// The beacon's source without comments and needless spaces. None of its strings and expressions has a space beside
    /// the signs that `tight` closes up, and each of its statements ends with a semicolon.
    static let text = tight(PackageResources.throng_js)

    /// The source of the code for sealing in the same form, with `GATEWAY` in the place of the gateway's key.
    static let sealText = tight(PackageResources.throng_oblivious_js)

    /// The panel's source without comments and indents; other spaces stay, as it has sentences.
    static let panelText = lines(PackageResources.throng_panel_js) + "\n"

    private static func tight(_ source: [UInt8]) -> String {
        lines(source).replacing(/\s*([=<>?:;,(){}\[\]|&!*%+])\s*/) { $0.1 } + "\n"
    }

    private static func lines(_ source: [UInt8]) -> String {
        String(decoding: source, as: UTF8.self)
            .split(separator: "\n")
            .map { $0.drop { $0 == " " } }
            .filter { !$0.isEmpty && !$0.hasPrefix("//") }
            .joined(separator: "\n")
    }
}

extension HTTPField.Name {
    /// The field that says how much of a page's address the browser tells other sites: Referrer Policy, section 4.1.
    static var referrerPolicy: Self {
        guard let name = Self("Referrer-Policy") else { preconditionFailure("it is a valid name") }
        return name
    }
}
