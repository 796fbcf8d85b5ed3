import ThrongWire

@testable import ThrongServer

/// Binary HTTP. What was read must be written so that it reads as the same, in both framings.
struct MessageTarget: FuzzTarget {
    static let limits = MessageLimits(contentBytes: 64 << 10)

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let request = Self.request(bytes) {
            _ = InnerRequest(request)
            _ = RequestHeaders(InnerRequest.headers(of: request))
            _ = InnerRequest.head(of: request)
            for framing in MessageFraming.allCases {
                try FuzzFinding.check(
                    Self.request(request.encoded(framing, isPadded: true)) == request, .written(what: "a request"))
            }
        }
        if let response = Self.response(bytes) {
            for framing in MessageFraming.allCases {
                try FuzzFinding.check(
                    Self.response(response.encoded(framing)) == response, .written(what: "a response"))
            }
        }
    }

    private static func request(_ bytes: [UInt8]) -> BinaryRequest? {
        // Why it is refused is no matter here.
        do throws(ObliviousError) { return try BinaryRequest(bytes[...], limits: limits) } catch { return nil }
    }

    private static func response(_ bytes: [UInt8]) -> BinaryResponse? {
        // Why it is refused is no matter here.
        do throws(ObliviousError) { return try BinaryResponse(bytes[...], limits: limits) } catch { return nil }
    }
}
