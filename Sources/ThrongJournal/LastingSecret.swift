package import ThrongSystem

/// A secret of a data directory that lasts as long as the directory does: a ``KeptFile`` of 32 bytes.
package struct LastingSecret: Sendable {
    /// The size of a secret. Unit: bytes.
    package static let byteCount = 32

    /// The secret.
    package let bytes: [UInt8]

    /// Reads the secret of a file in the directory, or creates one if there is none. Blocks.
    ///
    /// - Parameters:
    ///   - name: the file's name.
    ///   - make: draws a secret of ``byteCount`` bytes.
    /// - Throws: ``JournalError/damagedFile(_:)``; system errors.
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
