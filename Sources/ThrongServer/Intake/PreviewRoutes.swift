internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIntake
internal import ThrongPlan
internal import ThrongWire

/// `POST /v1/preview`: what would be counted of a batch. Nothing is counted, kept or logged.
struct PreviewRoutes {
    let desk: Ingestion

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/preview") { request, _ -> Response in
            do {
                let headers = RequestHeaders(request.headers)
                let answer = try await desk.withBody(of: request, headers, upTo: desk.limits.bodyBytes) { body in
                    try desk.preview(body, signals: headers.signals)
                }
                return .json(.ok, try text(of: answer))
            } catch let error as IntakeError {
                return .refusal(error)
            }
        }
    }

    private func text(of answer: PreviewAnswer) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(answer), as: UTF8.self)
    }
}

extension Ingestion {
    /// Lends the body of a request that is no batch, unpacked, once it has come.
    ///
    /// - Throws: ``IntakeError``, and what the work throws.
    func withBody<Value>(
        of request: Request, _ headers: RequestHeaders, upTo limit: Int, _ work: (UnpackedBody) throws -> Value
    ) async throws -> Value {
        guard let isGzip = headers.isGzip else { throw IntakeError.unknownEncoding }
        return try await bodies.collect(request.body, upTo: limit) { packed in
            try work(try UnpackedBody(packed, isGzip: isGzip, limit: limit))
        }
    }
}
