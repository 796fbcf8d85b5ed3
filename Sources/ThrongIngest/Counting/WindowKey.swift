package import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongWire

/// The name of a window: its app, purpose and number.
package struct WindowID: Hashable, Sendable, Comparable {
    package let app: AppName
    /// The purpose, whose rotation gives the window its length.
    package let purpose: PurposeName
    /// The length of the window.
    package let rotation: Rotation
    package let number: WindowNumber

    package init(app: AppName, purpose: PurposeName, rotation: Rotation, number: WindowNumber) {
        (self.app, self.purpose, self.rotation, self.number) = (app, purpose, rotation, number)
    }

    /// The instant from which on no batch of this window is accepted: the window after the next one has begun.
    package var over: UnixSeconds { rotation.start(of: WindowNumber(number.value + 2)) }

    /// Returns the window that takes over from a lost daemon's open one: another window, at the same time.
    ///
    /// - Parameter epoch: the number of the epoch that made other daemons its owners.
    package func taken(over epoch: Int64) -> WindowID {
        WindowID(app: app, purpose: purpose, rotation: rotation, number: number.taken(over: epoch))
    }

    /// The window as clients name it.
    package var asOpened: WindowID { WindowID(app: app, purpose: purpose, rotation: rotation, number: number.asOpened) }

    /// Orders by app, purpose and time.
    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.purpose, left.rotation.seconds, left.number)
            < (right.app, right.purpose, right.rotation.seconds, right.number)
    }
}

/// The random key of one window. Once it is destroyed, nothing keyed or encrypted with it can be read.
///
/// A class, because every batch and every record refers to it, on all threads at once.
package final class WindowKey: Sendable {
    /// The key's name in the journal; random, says nothing about the window.
    package let name: UInt64
    /// 256 random bits.
    package let secret: SymmetricKey
    /// An HMAC that has taken in the secret, and waits for a message.
    private let authenticator: HMAC<SHA256>

    package init(name: UInt64, secret: SymmetricKey) {
        self.name = name
        self.secret = secret
        authenticator = HMAC(key: secret)
    }

    /// Returns a fresh key; its secret is from the system's random source.
    package static func random(name: () -> UInt64 = { .random(in: 1 ... .max) }) -> WindowKey {
        WindowKey(name: max(1, name()), secret: SymmetricKey(size: .bits256))
    }

    /// Returns a client's identifier under this key: HMAC-SHA-256 cut to 128 bits.
    package func keyed(_ identifier: UnsafeRawBufferPointer) -> KeyedIdentifier {
        var authenticator = authenticator
        authenticator.update(data: identifier)
        return authenticator.finalize().withUnsafeBytes {
            KeyedIdentifier(
                high: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    /// Returns the receipt of a request for removal. It is the same whenever it is asked for, as long as the key
    /// exists, and differs from every other identifier's.
    package func receipt(of identifier: KeyedIdentifier) -> String {
        // No identifier begins with this byte, as all are UTF-8.
        ([0xFF] + identifier.bytes).withUnsafeBytes { keyed($0) }.bytes.lowerHex
    }
}

/// An identifier under a window's key; it means nothing outside that window.
package struct KeyedIdentifier: Hashable, Sendable {
    /// The first 64 bits.
    package let high: UInt64
    /// The last 64 bits.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The placeholder for purposes without identifiers: the same for everybody, in every window.
    package static let nobody = KeyedIdentifier(high: 0, low: 0)

    fileprivate var bytes: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// Returns a 64-bit hash of this identifier together with two words.
    ///
    /// The identifier's 128 bits are secret and uniform, so a folded multiplication of its halves with the two words
    /// is an almost-universal hash: two different inputs collide with a chance of about 2^-62. A collision makes a
    /// distinct count smaller, never larger.
    func hash(with first: UInt64, _ second: UInt64) -> UInt64 {
        let a = Self.folded(high ^ first, low ^ second)
        return Self.folded(a ^ high, second ^ 0x9E37_79B9_7F4A_7C15 ^ (low &+ first))
    }

    private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
