internal import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongWire

/// A browser that has signed in, as its owner may see it: since when and until when, and not from where.
package struct PortalSession: Sendable, Hashable {
    /// The SHA-256 of the cookie, which opens nothing.
    package struct ID: Sendable, Hashable {
        let hash: [UInt8]

        init(hash: [UInt8]) { self.hash = hash }

        /// The one of a cookie. By the hash, so that how long a look-up takes tells nothing of a cookie.
        package init(cookie: some StringProtocol) { hash = Array(SHA256.hash(data: Data(cookie.utf8))) }

        /// Reads ``text``; nil for anything else.
        package init?(_ text: String) {
            guard let hash = [UInt8](hex: text), hash.count == 32 else { return nil }
            self.hash = hash
        }

        /// 64 hexadecimal digits.
        package var text: String { hash.lowerHex }
    }

    /// Its name for its owner.
    package let id: ID
    /// When somebody signed in.
    package let since: UnixSeconds
    /// From when on it is over.
    package let until: UnixSeconds

    /// The latest look that it may have had, if it had one at all: a look makes it last for ``AccessStore/idle`` more.
    package var lastLook: UnixSeconds { until - Int64(AccessStore.idle) }
}
