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
