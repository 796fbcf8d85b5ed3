internal import Foundation
package import ThrongPlan
internal import ThrongReport
internal import ThrongSystem

/// The folder of the key by which a daemon signs: `key.pem`, which is secret, and for everybody `keys.json`, and
/// `verify.html`, which checks in a browser what the key signed.
///
/// A new key replaces the old one, whose private part goes; its public part stays listed with the time of its end.
package struct ReportKeyFolder: Sendable, Hashable {
    package let keyPath: String
    package let listPath: String
    private let pagePath: String

    package init(keyPath: String) {
        self.keyPath = keyPath
        let folder = keyPath.lastIndex(of: "/").map { String(keyPath[..<$0]) } ?? "."
        (listPath, pagePath) = (folder + "/keys.json", folder + "/verify.html")
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
            try replace(pagePath, with: VerifyPage().html, mode: 0o644)
            try replace(keyPath, with: key.pem, mode: 0o600)
        } catch { throw .unwritable(path: keyPath, reason: "\(error)") }
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

    private func replace(_ path: String, with text: String, mode: UInt32) throws(FileFault) {
        let file = try NewFile(path)
        try file.write(Array(text.utf8))
        try file.allow(mode)
        try file.finish(replacing: true)
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
            "\(path) has the permissions \(String(mode & 0o777, radix: 8)), so that others than its owner may have "
                + "read it. Make a new key with `throng key new`, or `chmod 600` it if you know that nobody did."
        case .noKey(let path):
            "\(path) is no Ed25519 private key in PEM without a passphrase. `throng key new` makes one."
        case .noList(let path):
            "\(path) is no list of public keys (throng-keys/1). Restore it from a copy that partners have."
        case .notListed(let path, let list):
            "\(list) does not have the key of \(path) as the one that signs now: a change of keys was cut short, or "
                + "the file was exchanged. Make a new key with `throng key new`."
        case .unreadable(let path): "\(path) is there and can't be read. Check its owner and permissions."
        case .unwritable(let path, let reason):
            "\(path) can't be written (\(reason)). Check the folder's owner, permissions and room."
        }
    }
}

/// The public keys that have signed a daemon's manifests, the present one last: `keys.json`, which partners get.
package struct ReportKeyList: Sendable, Hashable {
    package static let format = "throng-keys/1"

    package var keys: [Entry]

    package struct Entry: Sendable, Hashable {
        package let key: ReportPublicKey
        /// The first instant at which it signs; nil where the list does not say.
        package let from: UnixSeconds?
        /// The last instant at which it may have signed; nil for the present key.
        package var until: UnixSeconds?

        /// True if it signed at that instant, as far as the list says.
        package func covers(_ instant: UnixSeconds) -> Bool { (from ?? .min) <= instant && instant <= (until ?? .max) }
    }

    package init(keys: [Entry] = []) { self.keys = keys }

    package var current: Entry? { keys.last { $0.until == nil } }

    package var json: String {
        let entries: [JSONText] = keys.map {
            [
                "id": .string($0.key.id.hex), "from": .instant($0.from), "until": .instant($0.until),
                "public_key": .string($0.key.pem),
            ]
        }
        let text: JSONText = ["format": .string(Self.format), "keys": .array(entries)]
        return text.written() + "\n"
    }

    /// Reads `keys.json`, or the PEM of one public key; nil for anything else.
    package init?(_ text: String) {
        if let key = ReportPublicKey(pem: text) {
            self.init(keys: [Entry(key: key, from: nil)])
            return
        }
        let file: File
        do { file = try JSONDecoder().decode(File.self, from: Data(text.utf8)) } catch { return nil }
        guard file.format == Self.format, !file.keys.isEmpty else { return nil }
        var entries: [Entry] = []
        for written in file.keys {
            guard let key = ReportPublicKey(pem: written.public_key), key.id.hex == written.id,
                Instant.isReadable(written.from), Instant.isReadable(written.until)
            else { return nil }
            entries.append(
                Entry(key: key, from: written.from.flatMap(Instant.time), until: written.until.flatMap(Instant.time)))
        }
        self.init(keys: entries)
    }

    private struct File: Decodable {
        let format: String
        let keys: [Key]

        struct Key: Decodable {
            let id: String
            let from: String?
            let until: String?
            let public_key: String
        }
    }
}
