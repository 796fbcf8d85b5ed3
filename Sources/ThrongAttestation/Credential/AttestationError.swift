/// The reason why bytes are no part of a credential, or none can be made of them. No case holds any of the bytes.
package enum AttestationError: Error, Sendable, Hashable, CustomStringConvertible {
    case length(of: AttestationForm, found: Int)
    case point(in: AttestationForm, field: String)
    /// 32 bytes are no number below the group's order, or are 0 if that is not allowed.
    case scalar(in: AttestationForm, field: String)
    case version(of: AttestationForm, found: UInt8)
    /// The stored bytes are not what was written: their digest differs, or their parts do not belong to each other.
    case damaged(AttestationForm)
    case unproved
    /// The response makes a credential that would show nothing.
    case empty
    /// A part of a presentation context is longer than its length may say.
    case contextPart(found: Int)

    /// Bytes that one part of a presentation context may have.
    package static let longestContextPart = 65_535

    package var description: String {
        switch self {
        case .length(let form, let found):
            "a \(form.rawValue) has \(form.byteCount) bytes, not \(found). Check that it came whole. \(Self.advice(form))"
        case .point(let form, let field):
            """
            \(field) of a \(form.rawValue) is no point of P-256: allowed are 33 bytes that begin with 2 or 3 and have an x \
            that is on the curve. \(Self.advice(form))
            """
        case .scalar(let form, let field):
            """
            \(field) of a \(form.rawValue) is no number that is allowed: 32 bytes, below the group's order, and a secret is \
            not 0. \(Self.advice(form))
            """
        case .version(let form, let found):
            """
            a \(form.rawValue) has version \(found); this program reads version \(StoredBytes.version). A newer program may \
            have written it. \(Self.advice(form))
            """
        case .damaged(let form):
            "a \(form.rawValue) is not what was written: its digest does not fit. \(Self.advice(form))"
        case .unproved:
            """
            the response's proof does not hold for this request and this issuer key. The daemon may have another key by now: \
            fetch the key again, and ask with a new request.
            """
        case .empty:
            "the response makes a credential of the identity element, which shows nothing. Ask with a new request."
        case .contextPart(let found):
            """
            a part of a presentation context has \(found) bytes; allowed are \(Self.longestContextPart). Shorten the name or \
            the bucket's label in the plan.
            """
        }
    }

    private static func advice(_ form: AttestationForm) -> String {
        switch form {
        case .issuerKey: "Fetch the key again."
        case .request, .presentation: "Refuse it; its sender makes a new one."
        case .issuerSecrets: "Take them from a backup, or begin a new epoch."
        case .response: "Send the same request again."
        case .precredential, .credential: "Forget it, and ask for a new credential."
        }
    }
}

/// A form of bytes that a credential is made with. Each of them has a fixed length.
package enum AttestationForm: String, Sendable, Hashable {
    /// ``IssuerKey``: what the daemon publishes.
    case issuerKey = "public key"
    /// ``CredentialRequest``: from the device to the daemon.
    case request = "credential request"
    /// ``CredentialResponse``: from the daemon to the device.
    case response = "credential response"
    /// ``Presentation``: from the device to the daemon, in each window.
    case presentation = "presentation"
    /// ``IssuerSecrets``: kept by the daemon.
    case issuerSecrets = "private key"
    /// ``Precredential``: stored on the device until the response is there.
    case precredential = "stored precredential"
    /// ``Credential``: stored on the device.
    case credential = "stored credential"

    package var byteCount: Int {
        switch self {
        case .issuerKey: 3 * Point.byteCount
        case .request: 2 * Point.byteCount + 5 * Scalar.byteCount
        case .response: 6 * Point.byteCount + 8 * Scalar.byteCount
        case .presentation: 4 * Point.byteCount + 5 * Scalar.byteCount
        case .issuerSecrets: 4 * Scalar.byteCount
        case .precredential: 1 + 4 * Scalar.byteCount + 3 * Point.byteCount + Self.request.byteCount + 32
        case .credential: 1 + Scalar.byteCount + 3 * Point.byteCount + 32
        }
    }
}
