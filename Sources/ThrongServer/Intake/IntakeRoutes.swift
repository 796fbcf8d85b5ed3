internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ThrongIntake
internal import ThrongPlan
internal import ThrongWire

/// `POST /v1/batches` and `GET /v1/plan/APP`.
struct IntakeRoutes {
    let desk: CountingDesk
    let plans: [ServedPlan]
    let logger: Logger

    func add(to router: Router<BasicRequestContext>) {
        router.post("/v1/batches") { request, _ in await batches(request) }
        router.get("/v1/plan/:app") { request, context in
            plan(try context.parameters.require("app"), request: request)
        }
    }

    private func batches(_ request: Request) async -> Response {
        do throws(IntakeError) {
            let body = try await body(of: request)
            do {
                switch try await desk.accept(body, signals: Self.signals(of: request.headers)) {
                case .answer(let answer): return .json(.accepted, BatchText.of(answer))
                case .refused(let error): return .refusal(error)
                case .overloaded: return .busy("The journal is full: PostgreSQL has not caught up.")
                }
            } catch {
                // The journal has failed; the process is about to end and will replay.
                logger.critical("a batch could not be journalled", metadata: ["error": "\(error)"])
                return .busy("The journal failed; the batch was not counted.")
            }
        } catch {
            desk.refuse(error)
            return .refusal(error)
        }
    }

    private func body(of request: Request) async throws(IntakeError) -> UnpackedBody {
        let limit = desk.limits.bodyBytes
        let encoding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
        guard encoding == "gzip" || encoding == "identity" else { throw .unknownEncoding }
        let packed: ByteBuffer
        do {
            packed = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw .bodyTooLarge(limit: limit)
        } catch {
            throw .notJSON
        }
        return try UnpackedBody(packed, isGzip: encoding == "gzip", limit: limit)
    }

    private static func signals(of headers: HTTPFields) -> Set<OptOutSignal> {
        var signals: Set<OptOutSignal> = []
        if headers[.globalPrivacyControl] == "1" { signals.insert(.globalPrivacyControl) }
        if headers[.doNotTrack] == "1" { signals.insert(.doNotTrack) }
        return signals
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

extension HTTPField.Name {
    /// A request header of the Global Privacy Control proposal; names are ASCII literals, so none is refused.
    static var globalPrivacyControl: HTTPField.Name { named("Sec-GPC") }
    static var doNotTrack: HTTPField.Name { named("DNT") }

    private static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a field name") }
        return name
    }
}

/// Writes an answer as JSON: `{"accepted":9,"refused":[{"index":3,"reason":"unknown_event"}]}`.
enum BatchText {
    static func of(_ answer: BatchAnswer) -> String {
        let refused = answer.refused.map { "{\"index\":\($0.index),\"reason\":\"\($0.reason.rawValue)\"}" }
        return "{\"accepted\":\(answer.accepted),\"refused\":[\(refused.joined(separator: ","))]}"
    }
}
