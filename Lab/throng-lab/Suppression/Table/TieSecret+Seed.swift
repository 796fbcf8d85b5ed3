internal import Crypto
package import ThrongSystem

extension TieSecret {
    /// Returns the seed of one decision: the first eight bytes of an HMAC-SHA-256 over what it is about.
    ///
    /// - Parameters:
    ///   - use: the kind of decision.
    ///   - parts: the data that tells it from others of its kind; each goes in with its length, so that no two lists
    ///     are alike.
    package func seed(for use: String, _ parts: [[UInt8]]) -> UInt64 {
        var hmac = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        for part in [Array(use.utf8)] + parts {
            let length = UInt64(part.count)
            hmac.update(data: (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) })
            hmac.update(data: part)
        }
        return hmac.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
