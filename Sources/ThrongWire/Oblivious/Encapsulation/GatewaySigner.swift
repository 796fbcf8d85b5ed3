internal import Crypto
internal import Foundation

/// The lasting key by which a gateway vouches for the keys of its days: Ed25519 (RFC 8032).
///
/// A relay hands on the keys that requests are sealed with. One that handed on keys of its own could read all of them.
package struct GatewaySigner: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    package init() { key = .init() }

    /// Reads one that was kept; nil if the bytes are no private key.
    package init?(secret: some Collection<UInt8>) {
        do { key = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(secret)) } catch { return nil }
    }

    /// The private key, to be kept.
    package var secretRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// The identity that clients know it by.
    package var identity: GatewayIdentity { GatewayIdentity(key.publicKey) }

    /// Vouches for a list of key configurations: 64 bytes in base64.
    ///
    /// - Throws: what the library throws if it can't sign.
    package func signature(over list: [UInt8]) throws -> String {
        try key.signature(for: GatewayIdentity.message(of: list)).base64EncodedString()
    }
}

/// The public part of a ``GatewaySigner``: who a gateway is, whatever its keys of the day are.
package struct GatewayIdentity: Sendable, Hashable {
    private let bytes: Data

    /// The field of a plan's answer that says it.
    package static let header = "throng-gateway"
    /// The field of a list's answer that holds what vouches for it.
    package static let signatureHeader = "throng-signature"

    fileprivate init(_ key: Curve25519.Signing.PublicKey) { bytes = key.rawRepresentation }

    /// Reads its text; nil for anything else than 32 bytes in base64.
    package init?(text: String) {
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// 32 bytes in base64.
    package var text: String { bytes.base64EncodedString() }

    /// Says whether a list is this gateway's.
    ///
    /// - Parameter signature: 64 bytes in base64.
    package func vouches(for list: some Collection<UInt8>, by signature: String) -> Bool {
        guard let signature = Data(base64Encoded: signature) else { return false }
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
                .isValidSignature(signature, for: Self.message(of: Array(list)))
        } catch {
            // Bytes that are no key have signed nothing.
            return false
        }
    }

    /// Returns the bytes that are signed: no other signature is one over this.
    fileprivate static func message(of list: [UInt8]) -> Data { Data("throng ohttp-keys\0".utf8) + list }
}
