internal import Crypto
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

    /// True where there is a list, and so a key to check old reports by.
    package var hasList: Bool { FileManager.default.fileExists(atPath: listPath) }

    /// The public keys; none where there is no list.
    package func list() throws(ReportKeyError) -> ReportKeyList {
        guard hasList else { return ReportKeyList() }
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
        do { return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int } catch {
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

// A private key's file is PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it: base64 of 16 bytes that
// are always the same (RFC 8410, section 7) and the 32 bytes of the key.
//
// A public key's file is a SubjectPublicKeyInfo in PEM: base64 of 12 bytes that are always the same (RFC 8410, section
// 4) and the 32 bytes of the key.

/// An Ed25519 key that signs manifests. Whoever has it can sign in the daemon's name.
package struct ReportKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    private static let prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    package init() { key = Curve25519.Signing.PrivateKey() }

    /// Reads a private key's PEM; nil for anything else than an Ed25519 key without a passphrase.
    package init?(pem: String) {
        guard let bytes = PEM.key(of: pem, label: "PRIVATE KEY", prefix: Self.prefix) else { return nil }
        do { key = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes) } catch { return nil }
    }

    package var pem: String { PEM.text(Self.prefix + Array(key.rawRepresentation), label: "PRIVATE KEY") }

    package var publicKey: ReportPublicKey { ReportPublicKey(valid: Array(key.publicKey.rawRepresentation)) }

    /// Signs bytes as they are (RFC 8032, Ed25519): 64 bytes.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes)) }
}

/// The public part of a key that signs manifests.
package struct ReportPublicKey: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    private static let prefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    init(valid bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a public key's PEM; nil for anything else than an Ed25519 key.
    package init?(pem: String) {
        guard let bytes = PEM.key(of: pem, label: "PUBLIC KEY", prefix: Self.prefix) else { return nil }
        self.bytes = bytes
    }

    package var pem: String { PEM.text(Self.prefix + bytes, label: "PUBLIC KEY") }

    package var id: ReportKeyID { ReportKeyID(of: bytes) }

    package func accepts(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        do {
            return try Curve25519.Signing.PublicKey(rawRepresentation: bytes).isValidSignature(signature, for: message)
        } catch {
            // Bytes that are no key have signed nothing.
            return false
        }
    }
}

/// The id of a key: the first 64 bits of the SHA-256 of its public part.
package struct ReportKeyID: Hashable, Sendable, CustomStringConvertible {
    /// 16 lower-case hexadecimal digits.
    package let hex: String

    package init(hex: String) { self.hex = hex }

    init(of publicKey: [UInt8]) { hex = Array(SHA256.hash(data: publicKey).prefix(8)).lowerHex }

    package var description: String { hex }
}

/// Base64 between two lines that say what it is (RFC 7468).
enum PEM {
    static func text(_ bytes: [UInt8], label: String) -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
    }

    /// The 32 bytes behind a prefix in the only block of a text; nil where it is not the only one, or another.
    static func key(of text: String, label: String, prefix: [UInt8]) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard lines.first == "-----BEGIN \(label)-----", lines.last == "-----END \(label)-----",
            let bytes = Data(base64Encoded: lines.dropFirst().dropLast().joined()),
            bytes.count == prefix.count + 32, bytes.starts(with: prefix)
        else { return nil }
        return Array(bytes.suffix(32))
    }
}
