internal import Crypto
internal import Foundation

/// HMAC-SHA-256 in counter mode: random numbers to anybody who does not know the key, and the same ones for everybody
/// who has it.
///
/// - Complexity: one HMAC for four numbers.
package struct KeyedGenerator: RandomNumberGenerator, Sendable {
    private let key: SymmetricKey
    private var block: UInt64 = 0
    private var words: [UInt64] = []

    init(key: SymmetricKey) { self.key = key }

    package mutating func next() -> UInt64 {
        if let word = words.popLast() { return word }
        let code = HMAC<SHA256>.authenticationCode(for: withUnsafeBytes(of: block.bigEndian) { Data($0) }, using: key)
        block += 1
        code.withUnsafeBytes { bytes in
            words = stride(from: 0, to: 32, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
        }
        return words.removeLast()
    }
}
