internal import Crypto
internal import Foundation
internal import ThrongWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// 32 random bytes that an installation keeps in its data directory, for its eyes only, and never in the database: what is
/// decided or drawn with them comes out the same again after a restore.
///
/// The file has 64 hexadecimal digits and a newline, and mode 0600. Each use derives a key of its own from them.
package struct InstallationSecret: Sendable, Hashable {
    /// The secret.
    package let bytes: [UInt8]

    /// The file's name in a data directory.
    package static let fileName = "installation.secret"

    /// Reads the secret of a data directory; nil where there is none.
    ///
    /// - Throws: ``InstallationSecretError``.
    package init?(dataPath: String) throws(InstallationSecretError) {
        let path = dataPath + "/" + Self.fileName
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, let contents = FileManager.default.contents(atPath: path) else {
            throw .unreadable(path: path)
        }
        guard status.st_mode & 0o077 == 0 else { throw .exposed(path: path, mode: Int(status.st_mode)) }
        let digits = contents.last == UInt8(ascii: "\n") ? contents.dropLast() : contents
        guard let bytes = [UInt8](hex: String(decoding: digits, as: UTF8.self)), bytes.count == 32 else {
            throw .noSecret(path: path)
        }
        self.bytes = bytes
    }

    /// Reads the secret of a data directory, or makes one. Of two processes that make one at once, both get the same.
    ///
    /// - Throws: ``InstallationSecretError``.
    package static func kept(inDataPath dataPath: String) throws(InstallationSecretError) -> InstallationSecret {
        if let known = try InstallationSecret(dataPath: dataPath) { return known }
        let path = dataPath + "/" + fileName
        let draft = path + ".\(getpid()).new"
        let text = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0).lowerHex } + "\n"
        do {
            guard
                FileManager.default.createFile(
                    atPath: draft, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            try FileHandle(forWritingTo: URL(fileURLWithPath: draft)).synchronize()
            // A link is made only where no file has the name yet.
            let failure = link(draft, path) == 0 ? 0 : errno
            try FileManager.default.removeItem(atPath: draft)
            guard failure == 0 || failure == EEXIST else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        } catch {
            throw .unwritable(path: path, reason: "\(error)")
        }
        guard let made = try InstallationSecret(dataPath: dataPath) else { throw .unreadable(path: path) }
        return made
    }
}

/// Why a data directory's secret can't be used.
package enum InstallationSecretError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Others than its owner may read it.
    case exposed(path: String, mode: Int)
    /// The file holds something else.
    case noSecret(path: String)
    /// It is there and can't be read.
    case unreadable(path: String)
    /// It can't be made.
    case unwritable(path: String, reason: String)

    /// What was found and what to do.
    package var description: String {
        switch self {
        case .exposed(let path, let mode):
            """
            \(path) has the permissions \(String(mode & 0o777, radix: 8)), so that others than its owner may have read it. \
            `chmod 600` it if you know that nobody did; otherwise delete it, and the next start makes another.
            """
        case .noSecret(let path):
            """
            \(path) is no secret of 64 hexadecimal digits. Restore it from a copy, or delete it, and the next start makes \
            another.
            """
        case .unreadable(let path): "\(path) is there and can't be read. Check its owner and permissions."
        case .unwritable(let path, let reason):
            "\(path) can't be written (\(reason)). Check the folder's owner, permissions and room."
        }
    }
}
