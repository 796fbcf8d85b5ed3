/// Makes an attestation of this device: by the platform, a sign-in, or whatever the daemon's operator takes.
public protocol Vouching: Sendable {
    /// The name by which the daemon's terms call it, such as `http` or `app-attest`.
    var name: String { get }

    /// The attestation's other members.
    ///
    /// - Parameter challenge: SHA-256 of the request for a credential, 32 bytes: what is attested has to be bound to it.
    func evidence(for challenge: [UInt8]) async throws -> [String: String]
}

/// Keeps what a device must not lose: by it anybody could pretend to be this device.
public protocol CredentialStorage: Sendable {
    /// Returns the bytes that were kept; nil if none were.
    func read() throws -> [UInt8]?
    /// Keeps bytes instead of those that were kept, durably before it returns.
    func replace(with bytes: [UInt8]) throws
}
