internal import ThrongAttestation
internal import ThrongWire

/// The public terms of an app's credentials, the same for all: the answer of `GET /v1/credentials/{app}`.
package struct CredentialTerms: Sendable, Hashable, Codable {
    package let app: String
    /// `throng-arc-1`.
    package let `protocol`: String
    /// The months for which credentials are issued now, the present one first.
    package let epochs: [Key]
    package let attesters: [String]
    package let credentials: Int

    /// One month's key.
    package struct Key: Sendable, Hashable, Codable {
        /// `2026-11`.
        package let epoch: String
        /// The public key: 99 bytes in base64url.
        package let key: String
        /// The Unix time of the month's end.
        package let ends: Int64
    }
}
