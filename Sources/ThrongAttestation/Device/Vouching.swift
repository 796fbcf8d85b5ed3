/// Makes an attestation of this device: by the platform, a sign-in, or whatever the daemon's operator takes.
public protocol Vouching: Sendable {
    /// What the daemon's terms call it, such as `http` or `app-attest`.
    var name: String { get }

    /// The attestation's other members.
    ///
    /// - Parameter challenge: SHA-256 of the request for a credential, 32 bytes: what is attested has to be bound to it.
    func evidence(for challenge: [UInt8]) async throws -> [String: String]
}

/// Reaches the daemon. An app whose plan hides addresses hands in one that seals requests and sends them through a relay: by
/// time and address a daemon could otherwise tell who presents what it has issued.
public protocol CredentialTransport: Sendable {
    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - path: from the daemon's root on, such as `/v1/credentials`.
    ///   - body: JSON for a `POST`; nil for a `GET`.
    /// - Returns: the status, and the body.
    func send(path: String, body: [UInt8]?) async throws -> (status: Int, body: [UInt8])
}

/// Keeps what a device must not lose: by it anybody could pretend to be this device.
public protocol CredentialStorage: Sendable {
    /// What was kept; nil where nothing was.
    func read() throws -> [UInt8]?
    /// Keeps bytes instead of those that were kept, durably before it returns.
    func replace(with bytes: [UInt8]) throws
}
