internal import Crypto

/// An algorithm that seals messages, by its number in HPKE's registry: RFC 9180, section 7.3.
package enum Sealing: UInt16, Sendable, Hashable, CaseIterable {
    /// AES-128-GCM.
    case aes128 = 1
    /// ChaCha20Poly1305.
    case chaCha = 3

    /// The length of its key. Unit: bytes.
    var keyBytes: Int {
        switch self {
        case .aes128: 16
        case .chaCha: 32
        }
    }

    /// The length of its nonces. Unit: bytes.
    static let nonceBytes = 12
    /// The length that sealing adds to a message. Unit: bytes.
    static let tagBytes = 16

    var cipher: HPKE.AEAD {
        switch self {
        case .aes128: .AES_GCM_128
        case .chaCha: .chaChaPoly
        }
    }
}
