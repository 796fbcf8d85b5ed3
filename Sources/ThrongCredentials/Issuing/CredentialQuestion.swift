package import ThrongAttestation
package import ThrongWire

/// A client's request for a credential: the body of `POST /v1/credentials`, read.
package struct CredentialQuestion: Sendable {
    package let app: AppName
    package let epoch: String
    package let request: String
    package let attester: String
    /// The other members of its attestation.
    package let evidence: Evidence

    package init(app: AppName, epoch: String, request: String, attester: String, evidence: Evidence) {
        (self.app, self.epoch, self.request, self.attester) = (app, epoch, request, attester)
        self.evidence = evidence
    }
}

/// The reason why a device gets no credential. No case holds anything that a client sent.
package enum CredentialRefusal: Error, Sendable, Hashable {
    case noCredentials
    case wrongEpoch(issued: [Epoch])
    case unknownAttester(known: [String])
    /// A member is not of its form.
    case malformed(pointer: String, expected: String)
    case unproved
    case notAttested(AttesterError.Flaw)
    /// The device has all that it gets in the month.
    case tooMany(limit: Int, secondsLeft: Int64)
    /// Not now: too many ask, the attester can't be asked, or the disk takes nothing.
    case busy

    /// A stable word for programs.
    package var code: String {
        switch self {
        case .noCredentials: "no_credentials"
        case .wrongEpoch: "wrong_epoch"
        case .unknownAttester: "unknown_attester"
        case .malformed: "wrong_shape"
        case .unproved: "unproved_request"
        case .notAttested: "not_attested"
        case .tooMany: "too_many_credentials"
        case .busy: "overloaded"
        }
    }

    /// Every ``code``, for metric labels.
    package static let codes = [
        "no_credentials", "wrong_epoch", "unknown_attester", "wrong_shape", "unproved_request", "not_attested",
        "too_many_credentials", "overloaded",
    ]

    package var message: String {
        switch self {
        case .noCredentials:
            "Nobody vouches for this app's devices here, so that there are no credentials. Send without one."
        case .wrongEpoch(let issued):
            """
            Credentials are issued for \(issued.map(\.description).joined(separator: " and ")) now. Fetch the keys, and ask \
            with a new request.
            """
        case .unknownAttester(let known):
            "by names none who vouches for this app's devices; allowed: \(known.joined(separator: ", "))."
        case .malformed(let pointer, let expected): "\(pointer) has to be \(expected)."
        case .unproved: "The request's proof does not hold. Make a new one by the key that is published."
        case .notAttested(let flaw):
            "The attestation does not vouch for this request: \(flaw.rawValue). Make one over the SHA-256 of the request."
        case .tooMany(let limit, _):
            "The device has got \(limit) in this month, and no more are given. Use one of them, or wait for the next month."
        case .busy: "No room now: too many ask at once, the attester can't be asked, or the disk is full or slow."
        }
    }
}
