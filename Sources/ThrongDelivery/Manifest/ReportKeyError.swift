/// Why a daemon can't sign.
package enum ReportKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Others than its owner may read the private key.
    case exposed(path: String, mode: Int)
    /// The file is no private Ed25519 key.
    case noKey(path: String)
    /// The file is no list of public keys.
    case noList(path: String)
    /// The list does not have the key as the one that signs now.
    case notListed(path: String, list: String)
    /// The file is there and can't be read.
    case unreadable(path: String)
    /// The file can't be written.
    case unwritable(path: String, reason: String)

    /// What was found and what to do.
    package var description: String {
        switch self {
        case .exposed(let path, let mode):
            """
            \(path) has the permissions \(String(mode & 0o777, radix: 8)), so that others than its owner may have read it. \
            Make a new key with `throng key new`, or `chmod 600` it if you know that nobody did.
            """
        case .noKey(let path):
            "\(path) is no Ed25519 private key in PEM without a passphrase. `throng key new` makes one."
        case .noList(let path):
            "\(path) is no list of public keys (throng-keys/1). Restore it from a copy that partners have."
        case .notListed(let path, let list):
            """
            \(list) does not have the key of \(path) as the one that signs now: a change of keys was cut short, or the file \
            was exchanged. Make a new key with `throng key new`.
            """
        case .unreadable(let path): "\(path) is there and can't be read. Check its owner and permissions."
        case .unwritable(let path, let reason):
            "\(path) can't be written (\(reason)). Check the folder's owner, permissions and room."
        }
    }
}
