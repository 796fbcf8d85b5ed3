internal import Foundation
package import ThrongPlan

/// The folder of the key by which a daemon signs: `key.pem`, which is secret, and `keys.json` for everybody.
///
/// A new key replaces the old one, whose private part goes; its public part stays listed with the time of its end.
package struct ReportKeyFolder: Sendable, Hashable {
    package let keyPath: String
    package let listPath: String

    package init(keyPath: String) {
        self.keyPath = keyPath
        let folder = keyPath.lastIndex(of: "/").map { String(keyPath[..<$0]) } ?? "."
        listPath = folder + "/keys.json"
    }

    package init(dataPath: String) { self.init(keyPath: dataPath + "/signing/key.pem") }

    package var hasKey: Bool { FileManager.default.fileExists(atPath: keyPath) }

    /// The public keys; none where there is no list.
    package func list() throws(ReportKeyError) -> ReportKeyList {
        guard FileManager.default.fileExists(atPath: listPath) else { return ReportKeyList() }
        guard let bytes = FileManager.default.contents(atPath: listPath) else { throw .unreadable(path: listPath) }
        guard let list = ReportKeyList(String(decoding: bytes, as: UTF8.self)) else { throw .noList(path: listPath) }
        return list
    }

    /// The key that signs; nil where there is none.
    package func current() throws(ReportKeyError) -> ReportKey? {
        guard hasKey else { return nil }
        guard let mode = permissions(of: keyPath), let bytes = FileManager.default.contents(atPath: keyPath) else {
            throw .unreadable(path: keyPath)
        }
        guard mode & 0o077 == 0 else { throw .exposed(path: keyPath, mode: mode) }
        guard let key = ReportKey(pem: String(decoding: bytes, as: UTF8.self)) else { throw .noKey(path: keyPath) }
        guard try list().current?.key == key.publicKey else { throw .notListed(path: keyPath, list: listPath) }
        return key
    }

    /// Makes a key that signs from now on; an earlier one stops, and is deleted.
    ///
    /// - Throws: ``ReportKeyError``; a rotation that was cut short is finished by making another key.
    package func rotate(now: UnixSeconds) throws(ReportKeyError) -> ReportPublicKey {
        var list = try list()
        let key = ReportKey()
        for place in list.keys.indices where list.keys[place].until == nil { list.keys[place].until = now }
        list.keys.append(.init(key: key.publicKey, from: now))
        let folder = String(keyPath[..<(keyPath.lastIndex(of: "/") ?? keyPath.startIndex)])
        do {
            if !folder.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            }
            // The list first: nothing is ever signed with a key that it does not have.
            try replace(listPath, with: list.json, mode: 0o644)
            try replace(keyPath, with: key.pem, mode: 0o600)
        } catch {
            throw .unwritable(path: keyPath, reason: "\(error)")
        }
        return key.publicKey
    }

    private func permissions(of path: String) -> Int? {
        do {
            return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        } catch {
            // The caller says that the file can't be read.
            return nil
        }
    }

    private func replace(_ path: String, with text: String, mode: Int) throws {
        let draft = path + ".new"
        if FileManager.default.fileExists(atPath: draft) { try FileManager.default.removeItem(atPath: draft) }
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        else { throw CocoaError(.fileWriteUnknown) }
        try FileHandle(forWritingTo: URL(fileURLWithPath: draft)).synchronize()
        guard rename(draft, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}

/// The reason why a daemon can't sign.
package enum ReportKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case exposed(path: String, mode: Int)
    case noKey(path: String)
    case noList(path: String)
    case notListed(path: String, list: String)
    case unreadable(path: String)
    case unwritable(path: String, reason: String)

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
