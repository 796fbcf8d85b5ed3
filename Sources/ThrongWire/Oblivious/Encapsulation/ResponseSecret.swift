internal import Crypto
internal import Foundation

/// The secret that seals and opens the response to one request. Source: RFC 9458, section 4.4.
struct ResponseSecret: Sendable {
    private let secret: SymmetricKey
    private let encapsulatedKey: [UInt8]
    private let sealing: Sealing

    /// The context by which HPKE exports the secret.
    static let label = Data("message/bhttp response".utf8)

    /// Returns the length of the secret, and of the nonce that a response begins with: the larger of a key and a nonce. Unit: bytes.
    static func byteCount(_ sealing: Sealing) -> Int { max(sealing.keyBytes, Sealing.nonceBytes) }

    init(_ secret: SymmetricKey, encapsulatedKey: [UInt8], sealing: Sealing) {
        (self.secret, self.encapsulatedKey, self.sealing) = (secret, encapsulatedKey, sealing)
    }

    /// - Parameter nonce: random; of ``byteCount(_:)`` bytes.
    func seal(_ message: [UInt8], nonce: [UInt8]) throws(ObliviousError) -> [UInt8] {
        let (key, sealingNonce) = derived(nonce)
        do {
            switch sealing {
            case .aes128:
                let box = try AES.GCM.seal(message, using: key, nonce: AES.GCM.Nonce(data: sealingNonce))
                return nonce + box.ciphertext + box.tag
            case .chaCha:
                let box = try ChaChaPoly.seal(message, using: key, nonce: ChaChaPoly.Nonce(data: sealingNonce))
                return nonce + box.ciphertext + box.tag
            }
        } catch {
            // Key and nonce have the lengths that are asked for.
            throw .unopened
        }
    }

    func seal(_ message: [UInt8]) throws(ObliviousError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<Self.byteCount(sealing)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return try seal(message, nonce: nonce)
    }

    func open(_ bytes: [UInt8]) throws(ObliviousError) -> [UInt8] {
        let nonceBytes = Self.byteCount(sealing)
        let least = nonceBytes + Sealing.tagBytes
        guard bytes.count >= least else { throw .tooShort(found: bytes.count, least: least) }
        let (key, nonce) = derived(Array(bytes.prefix(nonceBytes)))
        let (text, tag) = (bytes[nonceBytes...].dropLast(Sealing.tagBytes), bytes.suffix(Sealing.tagBytes))
        do {
            switch sealing {
            case .aes128:
                let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: text, tag: tag)
                return Array(try AES.GCM.open(box, using: key))
            case .chaCha:
                let box = try ChaChaPoly.SealedBox(nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: text, tag: tag)
                return Array(try ChaChaPoly.open(box, using: key))
            }
        } catch { throw .unopened }
    }

    private func derived(_ nonce: [UInt8]) -> (key: SymmetricKey, nonce: [UInt8]) {
        let pseudoRandom = HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: encapsulatedKey + nonce)
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: pseudoRandom, info: Array("key".utf8), outputByteCount: sealing.keyBytes)
        let sealingNonce = HKDF<SHA256>.expand(
            pseudoRandomKey: pseudoRandom, info: Array("nonce".utf8), outputByteCount: Sealing.nonceBytes)
        return (key, sealingNonce.withUnsafeBytes { Array($0) })
    }
}
