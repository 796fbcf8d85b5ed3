internal import Crypto
internal import Foundation
internal import ThrongPlan
package import ThrongWire

/// The public key under which devices hash the values of a dimension in one window: see ``RevealedHash``.
package struct RevealedKey: Sendable {
    /// An HMAC that has taken in the key, and waits for a value.
    private let authenticator: HMAC<SHA256>
    private let isEvaluated: Bool

    /// Creates the key of a dimension in a window.
    ///
    /// - Parameter evaluator: the key whose outputs values are hashed with; nil if they are hashed alone.
    package init(of dimension: DimensionName, in window: WindowID, evaluator: EvaluatorKey? = nil) {
        isEvaluated = evaluator != nil
        let text = RevealedHash.keyText(
            app: window.app, purpose: window.purpose, dimension: dimension, window: window.number,
            evaluator: evaluator)
        authenticator = HMAC(key: SymmetricKey(data: SHA256.hash(data: text)))
    }

    /// Returns the hash of a value that needs no evaluation.
    package func hash(_ value: BucketLabel) -> RevealedHash {
        var authenticator = authenticator
        authenticator.update(data: Array(value.text.utf8))
        return RevealedHash(authenticationCode: authenticator.finalize())
    }

    /// Returns the hash of a value in a dimension that may be evaluated; nil if it needs an output and there is none.
    package func hash(_ value: BucketLabel, output: EvaluatedOutput?) -> RevealedHash? {
        guard isEvaluated else { return hash(value) }
        guard let output else { return nil }
        var authenticator = authenticator
        authenticator.update(data: output.bytes)
        authenticator.update(data: Array(value.text.utf8))
        return RevealedHash(authenticationCode: authenticator.finalize(), isEvaluated: true)
    }
}
