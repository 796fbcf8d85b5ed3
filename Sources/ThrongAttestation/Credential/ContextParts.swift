/// The encoding of contexts, no two alike: each part follows its length, two bytes, the highest first.
enum ContextParts {
    /// Returns the bytes of `throng-arc-1`, texts in UTF-8, a number of eight bytes, and more texts.
    static func bytes(
        _ texts: [String], _ number: Int64, _ more: [String] = []
    ) throws(AttestationError) -> [UInt8] {
        let eight = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        var bytes: [UInt8] = []
        for part in (["throng-arc-1"] + texts).map({ Array($0.utf8) }) + [eight] + more.map({ Array($0.utf8) }) {
            guard part.count <= AttestationError.longestContextPart else { throw .contextPart(found: part.count) }
            bytes += [UInt8(part.count >> 8), UInt8(part.count & 0xff)] + part
        }
        return bytes
    }
}
