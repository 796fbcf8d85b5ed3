internal import HTTPTypes
internal import ThrongWire

extension IntakeAnswer {
    /// Says why an encapsulated request could not be opened. The client reads it through the relay.
    init(unopened error: ObliviousError) { self.init(Problem(unopened: error)) }

    /// Says why an opened message is no request. It is sealed like any other answer.
    init(malformed error: ObliviousError) {
        let status: HTTPResponse.Status = if case .tooLarge = error { .contentTooLarge } else { .badRequest }
        self.init(Problem(status, "not_binary_http", "\(error)"))
    }

    /// The answer to a body at the gateway that is no encapsulated request.
    static let notEncapsulated = IntakeAnswer(
        Problem(
            .unsupportedMediaType, "not_encapsulated",
            "Send an encapsulated request as \(SealedRequest.mediaType)."))

    /// The answer to a sealed request for a path that takes none.
    static let unknownInside = IntakeAnswer(
        Problem(
            .notFound, "unknown_path",
            "Sealed requests go to POST /v1/batches, /v1/reveals, /v1/firsts, /v1/withdraw, /v1/preview and GET /v1/plan/APP."
        ))
}

extension Problem {
    /// Says why an encapsulated request could not be opened. The status is chosen here and nowhere else.
    ///
    /// Source: RFC 9458, sections 5.2 and 5.3.
    fileprivate init(unopened error: ObliviousError) {
        switch error {
        case .unknownKey, .unknownSuite, .unopened:
            self.init(
                .badRequest, "oblivious_key", type: "https://iana.org/assignments/http-problem-types#ohttp-key",
                "\(error)")
        case .truncated, .framing, .tooLarge, .malformed, .configuration, .noUsableKey, .tooShort:
            self.init(.badRequest, "not_encapsulated", "\(error)")
        }
    }
}
