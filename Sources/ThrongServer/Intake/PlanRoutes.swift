internal import HTTPTypes
internal import Hummingbird
internal import ThrongIntake
internal import ThrongPlan

/// `GET /v1/plan/APP`.
struct PlanRoutes {
    private let plans: [(app: AppName, document: ServedText)]

    init(plans: [Plan]) throws {
        self.plans = try plans.map { plan in
            let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
            return (plan.app.name, ServedText(text, type: "application/json", cachedFor: 300))
        }
    }

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/plan/:app") { request, context in
            let app = try context.parameters.require("app")
            let plan = plans.first { $0.app.text.utf8.elementsEqual(app.utf8) }
            return plan?.document.response(to: request) ?? .refusal(.unknownApp)
        }
    }
}
