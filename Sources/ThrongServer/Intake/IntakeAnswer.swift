internal import HTTPTypes
internal import ThrongIntake
internal import ThrongWire

/// What a client of `POST /v1/batches` is told: a status and a line of JSON.
struct IntakeAnswer {
    let status: HTTPResponse.Status
    let text: String

    /// Whether the client is asked to try again.
    var isRetryable: Bool { status == .serviceUnavailable }

    /// How long a client waits before it tries again. Unit: seconds.
    static let retrySeconds = "5"

    init(_ verdict: CountingDesk.Verdict) {
        switch verdict {
        case .answer(let answer): self.init(.accepted, Self.text(of: answer))
        case .refused(let error): self.init(refusal: error)
        case .overloaded: self.init(busy: "The journal is full: PostgreSQL has not caught up.")
        case .failed: self.init(busy: "The journal failed; the batch was not counted.")
        }
    }

    /// Why a batch was refused as a whole; the status is chosen here and nowhere else.
    init(refusal error: IntakeError) {
        let pointer = error.pointer.map { "\"pointer\":\"\($0)\"," } ?? ""
        // Messages and pointers are made of our own words and numbers: nothing to escape.
        self.init(
            Self.status(of: error), "{\"error\":\"\(error.code)\",\(pointer)\"message\":\"\(error.message)\"}")
    }

    /// Not now.
    private init(busy message: String) {
        self.init(.serviceUnavailable, "{\"error\":\"overloaded\",\"message\":\"\(message)\"}")
    }

    private init(_ status: HTTPResponse.Status, _ text: String) {
        self.status = status
        self.text = text
    }

    /// `{"accepted":9,"refused":[{"index":3,"reason":"unknown_event"}]}`.
    private static func text(of answer: BatchAnswer) -> String {
        let refused = answer.refused.map { "{\"index\":\($0.index),\"reason\":\"\($0.reason.rawValue)\"}" }
        return "{\"accepted\":\(answer.accepted),\"refused\":[\(refused.joined(separator: ","))]}"
    }

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
