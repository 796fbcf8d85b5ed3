internal import HTTPTypes
internal import Hummingbird
internal import ThrongIntake
internal import ThrongPlan

/// `GET /v1/plan/APP`.
struct PlanRoutes {
    let plans: [ServedPlan]

    func add(to router: Router<BasicRequestContext>) {
        router.get("/v1/plan/:app") { request, context in
            plan(try context.parameters.require("app"), request: request)
        }
    }

    private func plan(_ app: String, request: Request) -> Response {
        guard let plan = plans.first(where: { $0.app.text.utf8.elementsEqual(app.utf8) }) else {
            return .refusal(.unknownApp)
        }
        if request.headers[.ifNoneMatch] == plan.entityTag {
            return Response(status: .notModified, headers: [.eTag: plan.entityTag])
        }
        var response = Response.json(.ok, plan.json)
        response.headers[.eTag] = plan.entityTag
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }
}

/// A plan as anyone may see it.
struct ServedPlan: Sendable {
    let app: AppName
    let json: String
    let entityTag: String
}
