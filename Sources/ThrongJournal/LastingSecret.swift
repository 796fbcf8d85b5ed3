// The file of a secret that lasts. Numbers are little-endian.
//
//     offset  size  what
//     0       8     "THRONGL1"
//     8       32    the secret
//     40      4     CRC-32C of everything before

/// A secret of a data directory that stays as long as the directory does.
package struct LastingSecret: Sendable {
    /// Unit: bytes.
    package static let byteCount = 32
    private static let magic = Array("THRONGL1".utf8)

    /// The secret.
    package let bytes: [UInt8]

    /// Reads the secret of a file in the directory, or keeps one there where there is none. Blocks.
    ///
    /// - Parameters:
    ///   - name: the file's name.
    ///   - make: draws a secret of ``byteCount`` bytes.
    /// - Throws: ``JournalError/unknownFormat(file:)`` where the file is none of these; system errors.
    package init(
        _ name: String, in data: DataDirectory, orElse make: () -> [UInt8]
    ) throws(JournalError) {
        let path = data.path + "/" + name
        if data.disk.exists(path) {
            let found = try data.disk.contents(path)
            let size = Self.magic.count + Self.byteCount
            guard found.count == size + 4, found.starts(with: Self.magic),
                found == Self.file(of: Array(found[Self.magic.count..<size]))
            else { throw .unknownFormat(file: path) }
            bytes = Array(found[Self.magic.count..<size])
        } else {
            bytes = make()
            precondition(bytes.count == Self.byteCount, "a secret has \(Self.byteCount) bytes")
            try data.disk.replace(path, with: Self.file(of: bytes))
        }
    }

    private static func file(of secret: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(bytes: magic)
        writer.bytes += secret
        writer.add(CRC32C.checksum(writer.bytes))
        return writer.bytes
    }
}
