internal import Crypto

/// expand_message_xmd with SHA-256 (RFC 9380, section 5.3.1), and what is made of it: points and scalars.
enum MessageExpansion {
    /// The domain, 1 to 255 bytes, is a constant of the suite; the result has at most 8,160 bytes.
    static func expand(_ message: [UInt8], domain: [UInt8], count: Int) -> [UInt8] {
        let digestCount = SHA256.byteCount
        let blocks = (count + digestCount - 1) / digestCount
        precondition((1...255).contains(domain.count) && (1...255).contains(blocks), "RFC 9380 allows 255 at most")
        let suffix = domain + [UInt8(domain.count)]
        var first = SHA256()
        first.update(data: [UInt8](repeating: 0, count: SHA256.blockByteCount))
        first.update(data: message)
        first.update(data: [UInt8(count >> 8), UInt8(count & 0xff), 0])
        first.update(data: suffix)
        let start = [UInt8](first.finalize())
        var block = [UInt8](repeating: 0, count: digestCount)
        var bytes: [UInt8] = []
        for number in 1...blocks {
            var hash = SHA256()
            hash.update(data: zip(start, block).map { $0 ^ $1 })
            hash.update(data: [UInt8(number)])
            hash.update(data: suffix)
            block = [UInt8](hash.finalize())
            bytes += block
        }
        return [UInt8](bytes.prefix(count))
    }
}

extension Scalar {
    /// HashToScalar: hash_to_field of one element modulo n (RFC 9380, section 5.2, with L = 48).
    ///
    /// - Parameter domain: the whole of it, at most 255 bytes.
    init(hashing message: [UInt8], domain: [UInt8]) {
        self.init(wide: MessageExpansion.expand(message, domain: domain, count: 48))
    }
}
