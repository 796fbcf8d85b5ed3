internal import HTTPTypes
internal import Hummingbird
internal import ThrongIntake

extension Response {
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
