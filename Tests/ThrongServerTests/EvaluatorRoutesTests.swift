import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Synchronization
import Testing
import ThrongAttestation
import ThrongWire

@testable import ThrongServer

@Suite("An evaluator answers what is well formed, so often an hour and network, and knows nobody")
struct EvaluatorRoutesTests {
    private static let secret = EvaluatorSecret(seed: Array(repeating: 7, count: 32))

    /// An evaluator behind a Unix socket, whose proxy says where clients are.
    private final class House: Sendable {
        let clock = Clock()
        private let responder: RouterResponder<EvaluatorRoutes.Context>

        init(hourly: Int, forwarders: String = "unix") throws {
            let clock = clock
            let routes = EvaluatorRoutes(
                secret: EvaluatorRoutesTests.secret, quota: EvaluationQuota(limit: hourly),
                forwarders: try #require(Proxies(forwarders)),
                warnings: ProxyWarnings(.silent, SecurityLog(.silent)), clock: UnixClock { clock.now })
            responder = routes.router().buildResponder()
        }

        func send(
            _ body: [UInt8], from address: String? = nil, to path: String = "/v1/evaluations",
            method: HTTPRequest.Method = .post
        ) async throws -> (status: Int, body: [UInt8], retryAfter: String?) {
            var headers: HTTPFields = [:]
            if let address, let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
            let head = HTTPRequest(
                method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
            let source = ApplicationRequestContextSource(
                channel: NIOAsyncTestingChannel(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let response = try await responder.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))),
                context: EvaluatorRoutes.Context(source: source))
            let written = Written()
            try await response.body.write(written)
            return (response.status.code, written.bytes, response.headers[.retryAfter])
        }
    }

    private final class Clock: Sendable {
        private let time = Mutex(UnixSeconds(1_794_830_400))
        var now: UnixSeconds { time.withLock { $0 } }
        func move(_ seconds: Int64) { time.withLock { $0 = $0 + seconds } }
    }

    private final class Written: ResponseBodyWriter {
        private let buffer = Mutex(ByteBuffer())
        var bytes: [UInt8] { buffer.withLock { Array($0.readableBytesView) } }
        func write(_ part: ByteBuffer) async throws { buffer.withLock { _ = $0.writeImmutableBuffer(part) } }
        func finish(_ trailers: HTTPFields?) async throws {}
    }

    private static func blinded(_ count: Int = 1) throws -> any BlindedInputs {
        try ValueBlinder().blind((0..<count).map { [UInt8($0)] }, for: secret.publicKey)
    }

    @Test("what it answers holds, and anything malformed is refused and stops nothing")
    func answers() async throws {
        let house = try House(hourly: 1_000_000)
        for count in [1, 16] {
            let blinded = try Self.blinded(count)
            let answer = try await house.send(blinded.request)
            #expect(answer.status == 200)
            #expect(try blinded.outputs(of: answer.body).count == count)
        }
        let request = try Self.blinded().request
        for body in [
            [], [2], Array(request.dropLast()), request + [0], request + request, Array(repeating: 0, count: 132),
        ] {
            #expect(try await house.send(body).status == 400, "\(body.count) bytes")
        }
        #expect(try await house.send(Array(repeating: 2, count: 1 << 20)).status == 400)
        for _ in 0..<50 {
            let random = (0..<132).map { _ in UInt8.random(in: 0...255) }
            #expect(try await house.send(random).status == 400)
        }
        #expect(try await house.send(request, to: "/v1/batches").status == 404)
        #expect(try await house.send([], to: "/healthz", method: .get).status == 200)
        let blinded = try Self.blinded()
        #expect(try blinded.outputs(of: try await house.send(blinded.request).body).count == 1)
    }

    @Test("one network has so many values an hour, wherever in it; another one has its own, and so has the next hour")
    func quota() async throws {
        let house = try House(hourly: 20)
        let four = try Self.blinded().request
        let sixteen = try Self.blinded(9).request
        func status(_ body: [UInt8], from address: String?) async throws -> Int {
            try await house.send(body, from: address).status
        }
        #expect(try await status(sixteen, from: "198.51.100.7") == 200)
        #expect(try await status(four, from: "198.51.100.200") == 200)
        let refused = try await house.send(four, from: "198.51.100.8")
        #expect(refused.status == 429)
        #expect(refused.retryAfter == "\(3600 - house.clock.now.value % 3600)")
        // What one says of another's address before the proxy's is not looked at.
        #expect(try await status(four, from: "203.0.113.9, 198.51.100.8") == 429)
        #expect(try await status(four, from: "203.0.113.9") == 200)
        #expect(try await status(sixteen, from: "2001:db8:1:2::3") == 200)
        #expect(try await status(sixteen, from: "2001:db8:1:ffff::4") == 429)
        #expect(try await status(sixteen, from: "2001:db8:2::3") == 200)
        // Where nobody says, all share one.
        #expect(try await status(sixteen, from: nil) == 200)
        #expect(try await status(sixteen, from: "unknown") == 429)
        house.clock.move(3600)
        #expect(try await status(sixteen, from: "198.51.100.7") == 200)
    }

    @Test("networks beyond those that are told apart share what one may have, so that memory has an end")
    func memory() {
        let quota = EvaluationQuota(limit: 16)
        func refused(_ number: Int) -> Bool {
            let address = ClientAddress(bytes: [
                UInt8(20 + number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255), 1,
            ])
            return quota.refuse(16, of: NetworkPrefix(address), at: UnixSeconds(7200)) != nil
        }
        for number in 0..<EvaluationQuota.mostNetworks { #expect(!refused(number)) }
        #expect(!refused(EvaluationQuota.mostNetworks))
        #expect(refused(EvaluationQuota.mostNetworks + 1))
    }
}
