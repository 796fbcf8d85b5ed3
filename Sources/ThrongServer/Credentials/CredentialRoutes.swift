internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongWire

/// `GET /v1/credentials/{app}`: the keys of credentials, and the attesters. `POST /v1/credentials` gives one.
struct CredentialRoutes {
    let ingestion: Ingestion
    let issuer: CredentialIssuer

    /// A month's key is published three days before it holds. Unit: seconds.
    private static let cacheSeconds = 600

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/credentials/:app") { _, context in try terms(of: context.parameters.get("app") ?? "") }
        router.post("/v1/credentials") { request, _ in await answer(to: request) }
    }

    /// The same bytes for everybody: by a key of its own a client could be told from others.
    private func terms(of name: String) throws -> Response {
        guard let app = ingestion.intake.app(named: name) else { return .refusal(.unknownApp) }
        guard let terms = issuer.terms(of: app) else { return .problem(Problem(.noCredentials)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var response = Response.json(.ok, String(decoding: try encoder.encode(terms), as: UTF8.self))
        response.headers[.cacheControl] = "public, max-age=\(Self.cacheSeconds)"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func answer(to request: Request) async -> Response {
        do {
            let headers = RequestHeaders(request.headers)
            let (asked, _) = try await ingestion.reading(request, headers, upTo: Intake.credentialBytes) {
                bytes throws(IntakeError) in try ingestion.intake.readCredential(bytes)
            }
            let question = CredentialQuestion(
                app: asked.app, epoch: asked.epoch, request: asked.request, attester: asked.attester,
                evidence: Evidence(asked.evidence))
            let answer = try await issuer.answer(question)
            ingestion.telemetry.credentialWasGiven()
            var response = Response.json(.ok, "{\"response\":\"\(Base64URL.text(of: answer))\"}")
            response.headers[.cacheControl] = "no-store"
            return response
        } catch let error as IntakeError {
            return .refusal(error)
        } catch let refusal as CredentialRefusal {
            ingestion.telemetry.credentialWasRefused(refusal)
            var response = Response.problem(Problem(refusal))
            if case .tooMany(_, let seconds) = refusal { response.headers[.retryAfter] = "\(seconds)" }
            return response
        } catch {
            // The body did not arrive whole.
            return .refusal(.notJSON)
        }
    }
}

extension Problem {
    /// Says why a device gets no credential. The status is chosen here and nowhere else.
    init(_ refusal: CredentialRefusal) {
        var pointer: String?
        if case .malformed(let place, _) = refusal { pointer = place }
        if case .unknownAttester = refusal { pointer = "/attestation/by" }
        self.init(Self.status(of: refusal), refusal.code, pointer: pointer, refusal.message)
    }

    private static func status(of refusal: CredentialRefusal) -> HTTPResponse.Status {
        switch refusal {
        case .noCredentials: .notFound
        case .wrongEpoch, .unknownAttester: .unprocessableContent
        case .malformed, .unproved: .badRequest
        case .notAttested: .forbidden
        case .tooMany: .tooManyRequests
        case .busy: .serviceUnavailable
        }
    }
}
