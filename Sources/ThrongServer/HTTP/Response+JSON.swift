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

    /// Why a request was refused.
    static func refusal(_ error: IntakeError) -> Response {
        .answer(IntakeAnswer(refusal: error))
    }

    /// What a client of `POST /v1/batches` is told.
    static func answer(_ answer: IntakeAnswer) -> Response {
        var response = Response.json(answer.status, answer.text)
        response.headers[.retryAfter] = answer.retryAfter
        return response
    }

    /// Batches are not taken just now.
    static func notReady(_ text: String) -> Response {
        var response = Response.text(.serviceUnavailable, text)
        response.headers[.retryAfter] = IntakeAnswer.retrySeconds
        return response
    }
}
