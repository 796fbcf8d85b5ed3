internal import HTTPTypes
internal import Hummingbird
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongWire

/// The route `GET /v1/plan/APP`, with its texts in the language that the client asks for.
struct PlanRoutes {
    private let plans: [(plan: Plan, documents: [LanguageTag?: ServedText])]

    /// - Parameter identity: the gateway's identity, for plans that use a relay; nil if nothing is taken yet.
    init(plans: [Plan], identity: GatewayIdentity?) throws {
        let name = HTTPField.Name(GatewayIdentity.header)
        self.plans = try plans.map { plan in
            var headers: HTTPFields = [:]
            if let name, plan.app.relay != nil { headers[name] = identity?.text }
            let languages = [nil] + plan.translations.languages.map(Optional.some)
            let documents = try languages.map { language in
                let text = String(decoding: try plan.translated(into: language).publicDocument(), as: UTF8.self)
                let served = ServedText(
                    text, type: "application/json", cachedFor: 300, headers: headers,
                    isTranslated: plan.isTranslated)
                return (language, served)
            }
            return (plan, Dictionary(documents) { first, _ in first })
        }
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/plan/:app") { request, context in
            let app = try context.parameters.require("app")
            let found = plans.first { $0.plan.app.name.text.utf8.elementsEqual(app.utf8) }
            return found?.documents[found?.plan.language(for: request)]?.response(to: request)
                ?? .refusal(.unknownApp)
        }
    }
}

extension Plan {
    /// True if some of its texts are there in several languages.
    var isTranslated: Bool { !translations.languages.isEmpty }

    /// Returns the plan's language that suits the client best; nil if it reads none of them, or does not say.
    func language(for request: Request) -> LanguageTag? {
        guard isTranslated, let header = request.headers[.acceptLanguage] else { return nil }
        return language(for: LanguageTag.wanted(acceptLanguage: header))
    }
}
