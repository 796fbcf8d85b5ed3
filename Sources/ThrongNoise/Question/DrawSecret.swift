internal import Crypto
internal import Foundation

/// The secret that noise is derived from, so that a question has the same noise whenever it is drawn.
///
/// The bits of a draw are HMAC-SHA-256 under the secret, counted up, of everything that the draw depends on; a restored database
/// and a daemon that starts again repeat it, which tells nobody anything new.
///
/// The promise of the noise then holds against anybody who can't tell HMAC from chance. The secret and a published
/// number are enough to try out what was counted. So the secret is kept like the counters, and never in the database.
package struct DrawSecret: Sendable {
    let key: SymmetricKey

    /// Derives noise from 32 secret bytes or more. Other uses of the same bytes are told apart by ``label``.
    package init(bytes: some Sequence<UInt8>) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Self.label, using: SymmetricKey(data: Array(bytes))))
    }

    /// The use of an installation's secret here, which separates it from its other uses.
    private static let label = Data("throng noise 1".utf8)
}
