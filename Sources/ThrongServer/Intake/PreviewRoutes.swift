internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIntake
internal import ThrongPlan
internal import ThrongWire

/// `POST /v1/preview`: what would be counted of a batch. Nothing is counted, kept or logged.
struct PreviewRoutes {
    let desk: CountingDesk

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/preview") { request, _ -> Response in
            do {
                let limit = desk.limits.bodyBytes
                let answer = try await desk.withRoom(for: limit) {
                    try desk.preview(
                        try await Self.body(of: request, limit: limit), signals: Self.signals(of: request))
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

    static func body(of request: Request, limit: Int) async throws -> UnpackedBody {
        var isGzip = false
        switch request.headers[.contentEncoding]?.lowercased() {
        case nil, "identity": break
        case "gzip": isGzip = true
        default: throw IntakeError.unknownEncoding
        }
        do {
            let packed = try await request.body.collect(upTo: limit)
            return try UnpackedBody(packed, isGzip: isGzip, limit: limit)
        } catch is NIOTooManyBytesError {
            throw IntakeError.bodyTooLarge(limit: limit)
        }
    }

    static func signals(of request: Request) -> Set<OptOutSignal> {
        var signals: Set<OptOutSignal> = []
        for field in request.headers where field.value == "1" {
            switch field.name.canonicalName {
            case "sec-gpc": signals.insert(.globalPrivacyControl)
            case "dnt": signals.insert(.doNotTrack)
            default: break
            }
        }
        return signals
    }
}
