internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIntake

extension Response {
    /// A response with a JSON body.
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .contentLength: String(text.utf8.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A response with a line of text.
    static func text(_ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        Response(
            status: status,
            headers: [.contentType: type, .contentLength: String(text.utf8.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Why a batch was refused as a whole; the status is chosen here and nowhere else.
    static func refusal(_ error: IntakeError) -> Response {
        let pointer = error.pointer.map { "\"pointer\":\"\($0)\"," } ?? ""
        // Messages and pointers are made of our own words and numbers: nothing to escape.
        let text = "{\"error\":\"\(error.code)\",\(pointer)\"message\":\"\(error.message)\"}"
        var response = Response.json(status(of: error), text)
        if response.status == .serviceUnavailable { response.headers[.retryAfter] = retrySeconds }
        return response
    }

    /// Not now: 503 with Retry-After.
    static func busy(_ message: String) -> Response {
        var response = Response.json(.serviceUnavailable, "{\"error\":\"overloaded\",\"message\":\"\(message)\"}")
        response.headers[.retryAfter] = retrySeconds
        return response
    }

    /// How long a client waits before it tries again. Unit: seconds.
    private static let retrySeconds = "5"

    private static func status(of error: IntakeError) -> HTTPResponse.Status {
        switch error {
        case .bodyTooLarge, .tooManyEvents: .contentTooLarge
        case .unknownApp: .notFound
        case .unknownPurpose, .windowOutOfRange: .unprocessableContent
        case .noMemory: .serviceUnavailable
        case .unknownEncoding: .unsupportedMediaType
        case .notJSON, .notUTF8, .notGzip, .numberOutOfRange, .tooDeep, .duplicateKey, .nul, .wrongShape,
            .stringTooLong:
            .badRequest
        }
    }
}
