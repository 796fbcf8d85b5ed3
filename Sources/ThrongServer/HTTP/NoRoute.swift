internal import HTTPTypes
internal import Hummingbird

/// Answers requests without a route: 405 with `Allow` if the address takes other methods, else 404.
///
/// Add it after all routes: a router asks a middleware that is added last only for requests that it has no route for.
///
/// Source: RFC 9110, sections 10.2.1, 15.5.5 and 15.5.6.
struct NoRoute: RouterMiddleware {
    private struct Address {
        let path: RouterPath
        let methods: Set<HTTPRequest.Method>
    }

    private let addresses: [Address]

    /// - Parameter routes: all routes that are answered, here or elsewhere.
    init(_ routes: [(path: RouterPath, method: HTTPRequest.Method)]) {
        addresses = Dictionary(grouping: routes, by: \.path.description).values.map { routes in
            var methods = Set(routes.map(\.method))
            if methods.contains(.get) { methods.insert(.head) }
            return Address(path: routes[0].path, methods: methods)
        }
    }

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        let segments = request.uri.path.split(separator: "/")
        let address = addresses.first { address in
            address.path.components.count == segments.count
                && zip(address.path.components, segments).allSatisfy { $0 ~= $1 }
        }
        guard let address, !address.methods.contains(request.method) else {
            let absent = Response.problem(
                Problem(.notFound, "not_found", "Nothing is at this address; GET /v1/openapi.json lists all."))
            return request.method == .head ? absent.createHeadResponse() : absent
        }
        var response = Response.problem(
            Problem(.methodNotAllowed, "method_not_allowed", "This address takes other methods; Allow lists them."))
        response.headers[.allow] = address.methods.map(\.rawValue).sorted().joined(separator: ", ")
        return request.method == .head ? response.createHeadResponse() : response
    }
}
