package import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongWire

/// Which window of which purpose of which app.
package struct WindowID: Hashable, Sendable, Comparable {
    /// The app.
    package let app: AppName
    /// The purpose, whose rotation gives the window its length.
    package let purpose: PurposeName
    /// The length of the window.
    package let rotation: Rotation
    /// Which one.
    package let number: WindowNumber

    /// Names a window.
    package init(app: AppName, purpose: PurposeName, rotation: Rotation, number: WindowNumber) {
        self.app = app
        self.purpose = purpose
        self.rotation = rotation
        self.number = number
    }

    /// From this instant on no batch of this window is accepted: the window after the next one has begun.
    ///
    package var over: UnixSeconds { rotation.start(of: WindowNumber(number.value + 2)) }

    /// The window that others count in whose daemon was lost while it was open: another one, at the same time.
    ///
    /// - Parameter epoch: the number of the epoch that gave it to them.
    package func taken(over epoch: Int64) -> WindowID {
        WindowID(app: app, purpose: purpose, rotation: rotation, number: number.taken(over: epoch))
    }

    /// The window as clients name it.
    package var asOpened: WindowID {
        WindowID(app: app, purpose: purpose, rotation: rotation, number: number.asOpened)
    }

    /// Orders by app, purpose and time.
    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.purpose, left.rotation.seconds, left.number)
            < (right.app, right.purpose, right.rotation.seconds, right.number)
    }
}

/// The random key of one window. Once it is destroyed, nothing that was keyed or encrypted with it can be read.
package struct WindowKey: Sendable {
    /// Names the key in the journal; random, says nothing about the window.
    package let name: UInt64
    /// 256 random bits.
    package let secret: SymmetricKey
    /// Has taken in the secret, and waits for what it authenticates.
    private let authenticator: HMAC<SHA256>

    /// Wraps a key.
    package init(name: UInt64, secret: SymmetricKey) {
        self.name = name
        self.secret = secret
        authenticator = HMAC(key: secret)
    }

    /// A fresh key from the system's random source.
    package static func random() -> WindowKey {
        WindowKey(name: .random(in: 1 ... .max), secret: SymmetricKey(size: .bits256))
    }

    /// A fresh key whose name comes from elsewhere; its secret is the system's.
    package static func random(name: () -> UInt64) -> WindowKey {
        WindowKey(name: max(1, name()), secret: SymmetricKey(size: .bits256))
    }

    /// Keys an identifier as it came from a client: HMAC-SHA-256 cut to 128 bits.
    package func keyed(_ identifier: UnsafeRawBufferPointer) -> KeyedIdentifier {
        var authenticator = authenticator
        authenticator.update(data: identifier)
        return authenticator.finalize().withUnsafeBytes {
            KeyedIdentifier(
                high: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}

extension WindowKey {
    /// What somebody who asked to be taken out may keep: the same whenever it is asked for, as long as the key is there, and
    /// nobody else's.
    package func receipt(of identifier: KeyedIdentifier) -> String {
        // No identifier begins like this, as none is other than UTF-8.
        ([0xFF] + identifier.bytes).withUnsafeBytes { keyed($0) }.bytes.lowerHex
    }
}

extension KeyedIdentifier {
    fileprivate var bytes: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }
}

/// An identifier under a window's key: means nothing outside that window.
package struct KeyedIdentifier: Hashable, Sendable {
    /// The first 64 bits.
    package let high: UInt64
    /// The last 64 bits.
    package let low: UInt64

    /// Puts a keyed identifier together.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// What stands where a purpose has no identifiers: the same for everybody, in every window.
    package static let nobody = KeyedIdentifier(high: 0, low: 0)

    /// A 64-bit hash of this identifier together with what it did.
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
