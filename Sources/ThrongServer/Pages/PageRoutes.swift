internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongReport

/// `GET /` and `GET /apps/APP`, which show everybody what is counted, and `POST /apps/APP`, which tries an event.
struct PageRoutes: Sendable {
    let plans: [Plan]
    /// The ingestion by which events are tried; nil while nothing can be counted.
    let ingestion: Ingestion?
    let clock: UnixClock
    private let pages = DailyTexts()

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/") { request, _ in try page(of: plans.count == 1 ? 0 : nil, root: "", for: request) }
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
                let trial = try await trials.trial(
                    request, of: plans[place].translated(into: tag), in: Language(for: [tag].compactMap(\.self)))
                let label = plans[place].label(today: plans[place].labelDay(at: clock.now), translatedInto: tag)
                let page = try label.page(root: "../", trial: trial)
                var response = Response.html(page.html).unkept
                response.headers.append(contentsOf: Self.headers(of: page))
                return response
            } catch let error as IntakeError { return .refusal(error) }
        }
    }

    private func page(of app: Int?, root: String, for request: Request) throws -> Response {
        let language = app.flatMap { plans[$0].labelLanguage(for: request) }
        let today = app.map { plans[$0].labelDay(at: clock.now) } ?? PeriodCalendar.utc.date(at: clock.now)
        return try pages.text(at: .init(app: app, root: root, language: language), on: today) {
            let page =
                if let app {
                    try plans[app].label(today: today, translatedInto: language).page(root: root)
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

/// `GET /v1/label/APP`: the text of the page `GET /apps/APP`, for programs that show it, as the beacon's panel does.
struct LabelRoutes: Sendable {
    let plans: [Plan]
    let clock: UnixClock
    private let labels = DailyTexts()

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/label/:app") { request, context -> Response in
            guard let app = try plans.place(of: context) else { return .refusal(.unknownApp) }
            let (plan, language) = (plans[app], plans[app].labelLanguage(for: request))
            let today = plan.labelDay(at: clock.now)
            return try labels.text(at: .init(app: app, language: language), on: today) {
                ServedText(
                    String(decoding: try plan.label(today: today, translatedInto: language).json(), as: UTF8.self),
                    type: "application/json", cachedFor: 300, isTranslated: plan.isTranslated)
            }.response(to: request)
        }
    }
}

extension Plan {
    func labelDay(at now: UnixSeconds) -> CalendarDate {
        (PeriodCalendar(timeZone: app.timeZone) ?? .utc).date(at: now)
    }

    /// Returns the label in a language of the plan; nil for readers of none that it has.
    fileprivate func label(today: CalendarDate, translatedInto language: LanguageTag?) -> PrivacyLabel {
        translated(into: language).label(today: today, in: Language(for: [language].compactMap(\.self)))
    }
}

/// The policy of a page that loads nothing, runs nothing but its own script, is framed by nobody, and sends forms nowhere
/// else.
enum PagePolicy {
    /// The policy of a report's page, which brings its own style; nothing else may happen in it.
    static let report =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'; sandbox allow-top-navigation-by-user-activation"

    static func text(style: String, script: String? = nil) -> String {
        func digest(_ text: String) -> String { Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString() }
        return "default-src 'none'; style-src 'sha256-\(digest(style))'; base-uri 'none'; form-action 'self'; "
            + "frame-ancestors 'none'" + (script.map { "; script-src 'sha256-\(digest($0))'" } ?? "")
    }
}

/// Texts that change with the day, because metrics expire: each is made once a day.
final class DailyTexts: Sendable {
    struct Address: Hashable {
        /// The index of the app's plan; nil for the page over all apps.
        let app: Int?
        var root = ""
        /// The language; nil for readers of none that the plan has.
        let language: LanguageTag?
    }

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
        String(decoding: source, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }.filter {
            !$0.isEmpty && !$0.hasPrefix("//")
        }.joined(separator: "\n")
    }
}

extension HTTPField.Name {
    /// The field that says how much of a page's address the browser tells other sites: Referrer Policy, section 4.1.
    static var referrerPolicy: Self {
        guard let name = Self("Referrer-Policy") else { preconditionFailure("it is a valid name") }
        return name
    }
}

/// Tries an event from a page's form like a client's batch, and says in words what would remain.
struct PreviewTrial: Sendable {
    let ingestion: Ingestion
    let clock: UnixClock

    private static let largestForm = 64 << 10

    /// - Throws: ``IntakeError`` if the form is too large or its event would be refused with all of its batch.
    func trial(_ request: Request, of plan: Plan, in language: Language) async throws -> LabelTrial {
        let values = try await ingestion.bodies.collect(request.body, upTo: Self.largestForm) { Self.form($0) }
        let signals = RequestHeaders(request.headers).signals
        let event = EventName(values["event"] ?? "")
        var fields = values
        fields["event"] = nil
        let userAgents = plan.labelledFields.filter(\.isUserAgent).map(\.name)
        for field in userAgents where fields[field, default: ""].isEmpty { fields[field] = request.headers[.userAgent] }
        var outcomes: [LabelTrial.Outcome] = []
        for purpose in plan.purposes where plan.events(of: purpose.name).contains(event) {
            let body = try body(of: event, fields: fields, plan: plan, purpose: purpose)
            let answer = try await ingestion.previewInTurn(body, isGzip: false, signals: signals) { $0 }
            for event in answer.events {
                outcomes += Self.outcomes(of: event, plan: plan, purpose: purpose, in: language)
            }
        }
        if outcomes.isEmpty {
            outcomes = [Self.nothing(language.say(.trialNothing), Self.words(for: .unknownEvent, in: language))]
        }
        return LabelTrial(event: event.text, values: values, outcomes: outcomes)
    }

    /// Returns the fields of a form, and an empty text for what can't be decoded.
    static func form(_ bytes: ByteBuffer) -> [String: String] {
        var values: [String: String] = [:]
        for pair in String(buffer: bytes).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        return values
    }

    private func body(
        of event: EventName, fields: [String: String], plan: Plan, purpose: Purpose
    ) throws -> ByteBuffer {
        let summed = Set(plan.metrics.flatMap(\.sums).map(\.field))
        var scalars: [String: Batch.Scalar] = [:]
        for field in plan.fields(of: event, purpose: purpose.name) {
            guard let value = fields[field.text], !value.isEmpty else { continue }
            scalars[field.text] =
                summed.contains(field) ? Double(value).map { .number($0) } ?? .text(value) : .text(value)
        }
        let now = clock.now
        let batch = Batch(
            app: plan.app.name.text, purpose: purpose.name.text, window: purpose.rotation.window(at: now).value,
            id: purpose.hasIdentifiers ? "trial" : nil,
            events: [.init(event: event.text, at: Instant.text(now), fields: scalars)])
        return ByteBuffer(bytes: try JSONEncoder().encode(batch))
    }

    private static func outcomes(
        of event: PreviewAnswer.Event, plan: Plan, purpose: Purpose, in language: Language
    ) -> [LabelTrial.Outcome] {
        let title = language.say(.trialNothingFor, ["purpose": purpose.name.text])
        if let reason = event.refused { return [nothing(title, words(for: reason, in: language))] }
        if event.counted.isEmpty { return [nothing(title, language.say(.trialNoStep))] }
        return event.counted.compactMap { tuple in
            guard let metric = plan.metric(MetricName(tuple.metric)) else { return nil }
            let buckets = plan.cubeDimensions(of: metric).compactMap { dimension in
                tuple.buckets[dimension.name.text].map { bucket in
                    let words = language.words(for: BucketLabel(bucket), by: dimension)
                    return LabelTrial.Remain(name: dimension.title, value: words)
                }
            }
            let sums = metric.sums.compactMap { sum in
                tuple.sums[sum.name].map {
                    let value = Wording(language).amount(sum.quantum(of: $0), of: sum)
                    return LabelTrial.Remain(name: metric.title(of: sum), value: value)
                }
            }
            let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
            let period = calendar.period(labelled: tuple.period).map { calendar.title(of: $0, in: language) }
            let text = language.say(
                .trialCounted,
                ["period": period ?? tuple.period, "isAsked": purpose.needsConsent, "isWithin": metric.within != nil])
            let title = language.say(.trialMetric, ["title": metric.title])
            return LabelTrial.Outcome(title: title, text: text, remains: buckets + sums)
        }
    }

    private static func nothing(_ title: String, _ text: String) -> LabelTrial.Outcome {
        LabelTrial.Outcome(title: title, text: text, remains: [])
    }

    private static func words(for reason: RefusalReason, in language: Language) -> String {
        language.say(.trialRefused, ["reason": reason.rawValue])
    }
}

extension Wording {
    /// Returns a number of a sum's smallest units with its unit: "24.90 EUR".
    func amount(_ units: Int64, of sum: SumMeasure) -> String {
        amount(Decimals(units, shiftedBy: sum.decimals, over: 1, places: sum.decimals), unit: sum.unit)
    }
}
