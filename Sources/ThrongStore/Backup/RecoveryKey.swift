internal import Crypto
internal import Foundation
package import ThrongJournal
package import ThrongPlan
internal import ThrongSystem
internal import ThrongWire

/// The key that opens the keys of backups when the machine is lost. Its private part is nowhere on the machine.
package struct RecoveryKey: Sendable {
    private let secret: Curve25519.KeyAgreement.PrivateKey

    package init() { secret = Curve25519.KeyAgreement.PrivateKey() }

    /// Reads a key from its file, as ``text`` has it.
    package init(file: String) throws(BackupError) {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw .last("open", file) }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // The guard below reports an invalid key.
        guard text.hasPrefix(Self.prefix), let raw = [UInt8](hex: text.dropFirst(Self.prefix.count)),
            let secret = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: raw)
        else { throw .notKeys(file: file) }
        self.secret = secret
    }

    private static let prefix = "throng-recovery-"

    /// The line of text that its owner keeps.
    package var text: String { Self.prefix + Array(secret.rawRepresentation).lowerHex }

    /// Saves its public part in a data directory, in another's place if `replacing`; keys are exported for it then.
    package func keep(in dataPath: String, replacing: Bool) throws(BackupError) {
        let path = Self.publicPath(in: dataPath)
        let line = Array((Array(secret.publicKey.rawRepresentation).lowerHex + "\n").utf8)
        try BackupError.ofFile { () throws(FileFault) in
            let file = try NewFile(path)
            try file.write(KeptFile.bytes(line, as: .recoveryKey))
            if replacing { try file.finishOver() } else { try file.finish() }
        }
    }

    /// Returns the path of a data directory's public part: a ``KeptFile`` of 64 hexadecimal digits and a line break.
    package static func publicPath(in dataPath: String) -> String { dataPath + "/backup.recovery" }

    fileprivate func opened(_ export: KeyExport) throws -> [UInt8] {
        var recipient = try HPKE.Recipient(
            privateKey: secret, ciphersuite: KeyExport.suite, info: KeyExport.info, encapsulatedKey: export.encapsulated
        )
        return Array(try recipient.open(export.sealed))
    }
}

/// The keys of backups in a file kept elsewhere, for the owner of the recovery key.
///
/// The file is JSON: a format, and under HPKE (RFC 9180; X25519, HKDF-SHA256, ChaCha20-Poly1305) its time and every
/// key.
package struct KeyExport: Codable {
    private var format = Self.format
    fileprivate let encapsulated: Data
    fileprivate let sealed: Data

    private static let format = "throng backup keys 1"
    fileprivate static let info = Data(format.utf8)
    fileprivate static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    private struct Content: Codable {
        /// The time of the export. Unit: seconds since 1970.
        let made: Int64
        let keys: [Key]
    }

    private struct Key: Codable {
        let id: String
        let app: String
        let term: String
        let secret: Data
    }

    package struct Keys: Sendable {
        /// The time of the export: keys that were made later are not among them.
        package let made: UnixSeconds
        package let keys: [BackupKey]
    }

    /// Writes all keys of a data directory, for the recovery key whose public part it has. A former export is replaced
    /// and overwritten: it has keys that are destroyed by now. Returns their number; nil without a recovery key.
    package static func write(_ dataPath: String, to path: String, now: UnixSeconds) throws -> Int? {
        let file = RecoveryKey.publicPath(in: dataPath)
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        let line = try SystemDisk.shared.kept(at: file, as: .recoveryKey)
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // The guard below reports an invalid key.
        guard let raw = [UInt8](hex: text),
            let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: raw)
        else { throw BackupError.notKeys(file: file) }
        let keys = try BackupKeys(dataPath: dataPath).all()
        let content = Content(
            made: now.value,
            keys: keys.map { key in
                Key(
                    id: "\(key.id)", app: key.name.app, term: key.name.term.text,
                    secret: key.secret.withUnsafeBytes { Data($0) })
            })
        var sender = try HPKE.Sender(recipientKey: recipient, ciphersuite: suite, info: info)
        let export = KeyExport(
            encapsulated: sender.encapsulatedKey, sealed: try sender.seal(try JSONEncoder().encode(content)))
        let bytes = Array(try JSONEncoder().encode(export))
        try BackupError.ofFile { () throws(FileFault) in
            let new = try NewFile(path)
            try new.write(bytes)
            try new.finishOver()
        }
        return keys.count
    }

    package static func read(_ path: String, _ recovery: RecoveryKey) throws(BackupError) -> Keys {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .last("open", path) }
        // A file that can't be read is no export.
        guard let export = try? JSONDecoder().decode(Self.self, from: bytes), export.format == format else {
            throw .notKeys(file: path)
        }
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(try recovery.opened(export)))
        } catch {
            throw .wrongRecoveryKey(file: path)
        }
        var keys: [BackupKey] = []
        for key in content.keys {
            // This is a key of a later version's kind: without this error its data would be left out as if the key were
            // destroyed.
            guard let id = [UInt8](hex: key.id).flatMap(BackupKey.ID.init), let term = BackupTerm(key.term) else {
                throw .notKeys(file: path)
            }
            keys.append(
                BackupKey(id: id, name: BackupKeyName(app: key.app, term: term), secret: SymmetricKey(data: key.secret))
            )
        }
        return Keys(made: UnixSeconds(content.made), keys: keys)
    }
}
