package import ThrongSystem

/// A secret of a data directory that lasts as long as the directory does: a ``KeptFile`` of 32 bytes.
package struct LastingSecret: Sendable {
    /// The size of a secret. Unit: bytes.
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Reads the secret, of ``byteCount`` bytes, of a file in the directory, or makes one if there is none. Blocks.
    package init(
        _ name: String, as kind: FileKind, in data: DataDirectory, orElse make: () -> [UInt8]
    ) throws(JournalError) {
        let path = data.path + "/" + name
        if data.disk.exists(path) {
            bytes = try data.disk.kept(at: path, as: kind)
            guard bytes.count == Self.byteCount else {
                throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .content))
            }
        } else {
            bytes = make()
            precondition(bytes.count == Self.byteCount, "a secret has \(Self.byteCount) bytes")
            try data.disk.keep(bytes, at: path, as: kind)
        }
    }
}
