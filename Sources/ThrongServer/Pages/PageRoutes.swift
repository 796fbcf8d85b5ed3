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
struct PageRoutes: Sendable {
    let plans: [Plan]
    /// The ingestion by which events are tried; nil while nothing can be counted.
    let ingestion: Ingestion?
    let clock: UnixClock
    private let pages = DailyTexts<Address>()

    private struct Address: Hashable {
        /// The index of the app's plan; nil for the page over all apps.
        let app: Int?
        let root: String
        /// The language; nil for readers of none that the plan has.
        let language: LanguageTag?
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/") { request, _ in
            try page(of: plans.count == 1 ? 0 : nil, root: "", for: request)
        }
        router.get("/apps/:app") { request, context -> Response in
            guard let place = try plans.place(of: context) else { return .refusal(.unknownApp) }
            return try page(of: place, root: "../", for: request)
        }
        guard let ingestion else { return }
        let trials = PreviewTrial(ingestion: ingestion, clock: clock)
        router.post("/apps/:app") { request, context -> Response in
            guard let place = try plans.place(of: context) else { return .refusal(.unknownApp) }
            do {
                let tag = plans[place].labelLanguage(for: request)
                let (plan, language) = (plans[place].translated(into: tag), Language(for: [tag].compactMap { $0 }))
                let trial = try await trials.trial(request, of: plan, in: language)
                let page = try plan.label(today: today(of: plan), in: language).page(root: "../", trial: trial)
                var response = Response.text(.ok, page.html, type: "text/html; charset=utf-8")
                response.headers.append(contentsOf: Self.headers(of: page))
                response.headers[.cacheControl] = "no-store"
                return response
            } catch let error as IntakeError {
                return .refusal(error)
            }
        }
    }

    private func today(of plan: Plan?) -> CalendarDate {
        plan?.labelDay(at: clock.now) ?? PeriodCalendar.utc.date(at: clock.now)
    }

    private func page(of app: Int?, root: String, for request: Request) throws -> Response {
        let language = app.flatMap { plans[$0].labelLanguage(for: request) }
        let today = today(of: app.map { plans[$0] })
        let address = Address(app: app, root: root, language: language)
        return try pages.text(at: address, on: today) {
            let page =
                if let app {
                    try plans[app].translated(into: language)
                        .label(today: today, in: Language(for: [language].compactMap { $0 })).page(root: root)
                } else {
                    try LabelPage.index(of: plans.map { $0.label(today: today) })
                }
            return ServedText(
                page.html, type: "text/html; charset=utf-8", cachedFor: 300, headers: Self.headers(of: page),
                isTranslated: app.map { plans[$0].isTranslated } ?? false)
        }.response(to: request)
    }

    private static func headers(of page: LabelPage) -> HTTPFields {
        [
            .contentSecurityPolicy: PagePolicy.text(style: page.style), .xContentTypeOptions: "nosniff",
            .referrerPolicy: "no-referrer",
        ]
    }
}

/// The policy of a page that loads nothing, runs nothing, is framed by nobody, and sends forms nowhere else.
enum PagePolicy {
    static func text(style: String) -> String {
        let digest = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'self'; "
            + "frame-ancestors 'none'"
    }
}

/// Texts that change with the day, because metrics expire: each is made once a day.
final class DailyTexts<Address: Hashable & Sendable>: Sendable {
    private let texts = Mutex<[Address: (day: CalendarDate, text: ServedText)]>([:])

    func text(at address: Address, on day: CalendarDate, make: () throws -> ServedText) rethrows -> ServedText {
        if let known = texts.withLock({ $0[address] }), known.day == day { return known.text }
        let text = try make()
        texts.withLock { $0[address] = (day, text) }
        return text
    }
}

extension [Plan] {
    /// Returns the index of the app that a request's path names.
    func place(of context: BasicRequestContext) throws -> Int? {
        let app = try context.parameters.require("app")
        return firstIndex { $0.app.name.text.utf8.elementsEqual(app.utf8) }
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
