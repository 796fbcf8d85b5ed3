internal import Crypto
internal import Foundation
internal import ThrongPlan
package import ThrongWire

/// The public key under which devices hash the values of a dimension in one window: see ``RevealedHash``.
package struct RevealedKey: Sendable {
    /// Has taken in the key, and waits for a value.
    private let authenticator: HMAC<SHA256>

    /// The key of a dimension in a window.
    package init(of dimension: DimensionName, in window: WindowID) {
        let text = RevealedHash.keyText(
            app: window.app, purpose: window.purpose, dimension: dimension, window: window.number)
        authenticator = HMAC(key: SymmetricKey(data: SHA256.hash(data: text)))
    }

    /// The hash of a value.
    package func hash(_ value: BucketLabel) -> RevealedHash {
        var authenticator = authenticator
        authenticator.update(data: Array(value.text.utf8))
        return RevealedHash(authenticationCode: authenticator.finalize())
    }
}
