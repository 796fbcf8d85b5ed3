internal import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongWire

/// A browser that has signed in, as its owner may see it: its times, but not its address.
package struct PortalSession: Sendable, Hashable {
    /// The SHA-256 of the cookie, which opens nothing.
    package struct ID: Sendable, Hashable {
        let hash: [UInt8]

        init(hash: [UInt8]) { self.hash = hash }

        /// Creates the name of a cookie's session. Look-ups go by the hash, so their time tells nothing of a cookie.
        package init(cookie: some StringProtocol) { hash = Array(SHA256.hash(data: Data(cookie.utf8))) }

        /// Reads ``text``; nil for anything else.
        package init?(_ text: String) {
            guard let hash = [UInt8](hex: text), hash.count == 32 else { return nil }
            self.hash = hash
        }

        /// The name as text: 64 hexadecimal digits.
        package var text: String { hash.lowerHex }
    }

    package let id: ID
    package let since: UnixSeconds
    /// The time from which on it is over.
    package let until: UnixSeconds

    /// The latest time it may have been used at, if at all: each use extends it by ``AccessStore/idle``.
    package var lastLook: UnixSeconds { until - Int64(AccessStore.idle) }
}
