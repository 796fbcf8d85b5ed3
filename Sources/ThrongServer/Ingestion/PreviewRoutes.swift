internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongWire

/// The route `POST /v1/preview`: shows what would be counted of a batch. Nothing is counted, kept or logged.
struct PreviewRoutes {
    let ingestion: Ingestion

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/preview") { request, _ in
            await Response.answering {
                let headers = RequestHeaders(request.headers)
                guard let isGzip = headers.isGzip else { throw IntakeError.unknownEncoding }
                let most = ingestion.limits.bodyBytes
                return .json(
                    .ok,
                    try await ingestion.bodies.collect(request.body, upTo: most) { packed in
                        try await ingestion.previewInTurn(packed, isGzip: isGzip, signals: headers.signals) {
                            try Self.text(of: $0)
                        }
                    })
            }
        }
    }

    private static func text(of answer: PreviewAnswer) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(answer), as: UTF8.self)
    }
}

extension Ingestion {
    /// Makes a preview and works on it in its turn: one at a time, off the threads that answer others.
    func previewInTurn<Value: Sendable>(
        _ packed: ByteBuffer, isGzip: Bool, signals: Set<OptOutSignal>,
        _ work: @escaping @Sendable (PreviewAnswer) throws -> Value
    ) async throws -> Value {
        let result = await trials.run { [self] in
            Result {
                try work(preview(UnpackedBody(packed, isGzip: isGzip, limit: limits.bodyBytes), signals: signals))
            }
        }
        guard let result else { throw IntakeError.noMemory }
        return try result.get()
    }

    /// Reads the body of a request that is no batch; also returns it as it came, for a caller that may hand it on.
    func reading<Value>(
        _ request: Request, _ headers: RequestHeaders, upTo limit: Int,
        _ read: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) async throws -> (Value, packed: [UInt8]) {
        guard let isGzip = headers.isGzip else { throw IntakeError.unknownEncoding }
        return try await bodies.collect(request.body, upTo: limit) { packed in
            let body = try UnpackedBody(packed, isGzip: isGzip, limit: limit)
            return (try body.read(read), Array(packed.readableBytesView))
        }
    }
}

extension Response {
    /// Answers a request, also where it is refused, can't be handed on, or did not arrive whole.
    static func answering(notedBy ingestion: Ingestion? = nil, _ work: () async throws -> Response) async -> Response {
        do {
            return try await work()
        } catch let error as Unavailable {
            return .problem(error.problem)
        } catch let error as IntakeError {
            ingestion?.refuse(error)
            return .refusal(error)
        } catch {
            // The body did not arrive whole.
            return .refusal(.notJSON)
        }
    }
}
