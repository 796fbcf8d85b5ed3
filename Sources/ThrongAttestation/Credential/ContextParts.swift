/// The encoding of contexts, by which no two are the same bytes: each part follows its length, two bytes, the highest
/// first.
enum ContextParts {
    /// The first part of each of them.
    static let name = "throng-arc-1"

    static func bytes(_ parts: [[UInt8]]) throws(AttestationError) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            guard part.count <= AttestationError.longestContextPart else { throw .contextPart(found: part.count) }
            bytes += [UInt8(part.count >> 8), UInt8(part.count & 0xff)] + part
        }
        return bytes
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func number(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
