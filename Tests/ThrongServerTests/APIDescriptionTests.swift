import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongIngest
import ThrongWire

@testable import ThrongServer

@Suite("openapi.json describes the clients' port, and nothing else is there", .serialized)
struct APIDescriptionTests {
    /// What the document says.
    private struct Description {
        let paths: [String: [String: Any]]
        let errors: [Int: Set<String>]

        private static let methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"]

        init() throws {
            let all = try JSONSerialization.jsonObject(with: Data(PackageResources.openapi_json))
            let document = try #require(all as? [String: Any])
            paths = try #require(document["paths"] as? [String: [String: Any]])
            let parts = try #require(document["components"] as? [String: Any])
            var errors: [Int: Set<String>] = [:]
            for case let response as [String: Any] in try #require(parts["responses"] as? [String: Any]).values {
                guard let content = response["content"] as? [String: [String: Any]] else { continue }
                let schema = try #require(content["application/problem+json"]?["schema"] as? [String: Any])
                let own = try #require((schema["allOf"] as? [[String: Any]])?.last?["properties"] as? [String: Any])
                let status = try #require((own["status"] as? [String: Int])?["const"])
                errors[status, default: []].formUnion(try #require((own["error"] as? [String: [String]])?["enum"]))
            }
            self.errors = errors
        }

        /// Such as "GET /v1/plan/{app}".
        var operations: Set<String> {
            Set(
                paths.flatMap { path, item in
                    item.keys.filter(Self.methods.contains).map { "\($0.uppercased()) \(path)" }
                })
        }

        func statuses(of method: String, _ path: String) throws -> Set<Int> {
            let operation = try #require(paths[path]?[method.lowercased()] as? [String: Any])
            return Set(try #require(operation["responses"] as? [String: Any]).keys.compactMap { Int($0) })
        }
    }

    /// Of a daemon that counts.
    private static func router(of house: IngestionHouse) throws -> Router<BasicRequestContext> {
        let gateway = try ObliviousGateway(
            house.data, contentBytes: 1 << 20, clock: UnixClock { house.now }, logger: Logger(label: "test"))
        let clock = UnixClock { house.now }
        let issuer = CredentialIssuer(
            [:], keys: try EpochKeys(house.data, apps: [], clock: clock, logger: .silent), data: house.data,
            clock: clock, logger: .silent)
        return try routes(of: house).router(for: house.ingestion, gateway, issuer, isStopping: { false })
    }

    private static func routes(of house: IngestionHouse) -> ClientRoutes {
        ClientRoutes(plans: [house.plan], origins: .everywhere, clock: UnixClock { house.now })
    }

    @Test("each route is in the document, and each one of the document is a route")
    func bothWays() throws {
        let house = try IngestionHouse()
        let client = RouterClient(try Self.router(of: house))
        let registered = client.operations + ["POST /v1/batches", "POST /v1/ohttp"]
        #expect(try Description().operations == Set(registered))
        #expect(registered.count == Set(registered).count)
        try house.end()
    }

    @Test("each one is answered with a status that the document gives it, also while a daemon can't start")
    func answered() async throws {
        let house = try IngestionHouse()
        let description = try Description()
        let started = RouterClient(try Self.router(of: house))
        let starting = RouterClient(try Self.routes(of: house).startingRouter())
        for operation in description.operations {
            let parts = operation.split(separator: " ").map(String.init)
            let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
            let path = parts[1].replacing("{app}", with: "shop")
            let known = try description.statuses(of: parts[0], parts[1])
            if operation != "POST /v1/batches" && operation != "POST /v1/ohttp" {
                let status = try await started.send(method, path).status.code
                #expect(known.contains(status) && status < 500, "\(operation): \(status)")
            }
            let answer = try await starting.send(method, path)
            #expect(known.contains(answer.status.code) && answer.status != .notFound, "\(operation): \(answer.status)")
            if method == .post {
                #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "5", "\(operation)")
            }
        }
        try house.end()
    }

    @Test("an address without that method answers 405 with those that it has, one that is not there 404")
    func unrouted() async throws {
        let house = try IngestionHouse()
        let client = RouterClient(try Self.router(of: house))
        let wrong: [(HTTPRequest.Method, String, String)] = [
            (.get, "/v1/batches", "OPTIONS, POST"), (.delete, "/v1/batches?x=/", "OPTIONS, POST"),
            (.delete, "/", "GET, HEAD"), (.post, "/v1/plan/shop", "GET, HEAD, OPTIONS"),
            (.put, "/apps/nowhere", "GET, HEAD, POST"),
            (try #require(.init(rawValue: "BREW")), "/healthz", "GET, HEAD"),
        ]
        for (method, path, allowed) in wrong {
            let answer = try await client.send(method, path)
            #expect(answer.status == .methodNotAllowed && answer.headers[.allow] == allowed, "\(method) \(path)")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer.body.contains(#""error":"method_not_allowed""#))
        }
        for path in ["/nowhere", "/v1", "/v1/plan", "/v1/plan/shop/x", "/v2/batches", "/metrics"] {
            let answer = try await client.send(.get, path)
            #expect(answer.status == .notFound && answer.headers[.contentType] == "application/problem+json")
            #expect(answer.body.contains(#""error":"not_found""#), "\(path)")
            #expect(try await client.send(.head, path).body.isEmpty)
        }
        let head = try await client.send(.head, "/healthz")
        #expect(head.status == .ok && head.headers[.contentLength] == "6" && head.body.isEmpty)
        try house.end()
    }

    @Test("each way to refuse a body is a problem that the document lists under its status")
    func problems() throws {
        let errors: [IntakeError] = [
            .notJSON, .foreign(.empty), .foreign(.multipart), .notUTF8, .notGzip, .unknownEncoding, .numberOutOfRange,
            .tooDeep(limit: 8),
            .duplicateKey(pointer: "/context"), .nul(pointer: "/id"), .wrongShape(pointer: "", expected: "an object"),
            .stringTooLong(pointer: "/id", bytes: 9, limit: 8), .bodyTooLarge(limit: 8),
            .tooManyEvents(found: 9, limit: 8), .recordTooLarge(bytes: 9, limit: 8), .unknownApp, .unknownPurpose,
            .identifierUnwanted, .unproved, .nothingToTellApart, .noFirsts, .periodNotOpen, .unknownCell,
            .unprovedFirst,
            .obliviousOnly, .windowOutOfRange(current: 7),
            .originNotAllowed, .keyRequired, .unknownKey, .revokedKey, .secretRequired, .unknownSecret,
            .networkQuota(retrySeconds: 7), .noMemory,
        ]
        #expect(Set(errors.map(\.code)) == Set(IntakeError.codes))
        let described = try Description().errors
        for error in errors {
            let problem = Problem(error)
            let all = try JSONSerialization.jsonObject(with: Data(problem.text.utf8))
            let members = try #require(all as? [String: Any])
            #expect(members["type"] as? String == "urn:throng:error:\(error.code)")
            #expect(members["error"] as? String == error.code && members["detail"] as? String == error.message)
            #expect(members["pointer"] as? String == error.pointer && members["status"] as? Int == problem.status.code)
            #expect(described[problem.status.code]?.contains(error.code) == true, "\(error.code)")
        }
        let others: Set = [
            "not_found", "method_not_allowed", "bad_host", "unclear_end", "not_http", "overloaded", "not_asked",
            "unfit_value",
            "opted_out", "oblivious_key", "not_encapsulated", "not_binary_http", "unknown_path",
            "no_credentials", "wrong_epoch", "unknown_attester", "unproved_request", "not_attested",
            "too_many_credentials",
        ]
        let refusals: [CredentialRefusal] = [
            .noCredentials, .wrongEpoch(issued: [Epoch(containing: .epoch)]), .unknownAttester(known: ["http"]),
            .malformed(pointer: "/request", expected: "base64url"), .unproved, .notAttested(.denied),
            .tooMany(limit: 2, secondsLeft: 9), .busy,
        ]
        #expect(refusals.map(\.code) == CredentialRefusal.codes)
        for refusal in refusals {
            let problem = Problem(refusal)
            let all = try JSONSerialization.jsonObject(with: Data(problem.text.utf8))
            #expect((all as? [String: Any])?["error"] as? String == refusal.code)
            #expect(described[problem.status.code]?.contains(refusal.code) == true, "\(refusal.code)")
        }
        let listed = described.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        #expect(listed == others.union(IntakeError.codes))
        #expect(Problem(.windowOutOfRange(current: 7)).text.contains(#""title":"Window out of range""#))
    }
}
