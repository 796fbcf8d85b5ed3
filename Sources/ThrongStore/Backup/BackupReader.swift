internal import Crypto
internal import Foundation
package import ThrongJournal
package import ThrongPlan
internal import ThrongSystem

/// Reads a backup, with the keys that still exist.
package struct BackupReader: Sendable {
    package let path: String
    package let head: BackupHead
    package let list: BackupList
    private let keys: [BackupKey.ID: BackupKey]
    /// The offset of the list. Unit: bytes.
    private let end: Int

    static let tailMagic = Array("THRONGBE".utf8)

    /// Opens the list of a backup's contents; throws also where the file is not whole.
    package init(_ path: String, keys: [BackupKey]) throws(BackupError) {
        self.path = path
        self.keys = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let file = try ReadFile(path)
        guard let head = BackupHead(try file.read(at: 0, BackupHead.size)) else { throw .notABackup(file: path) }
        self.head = head
        let tail = try file.read(at: file.size - 16, 16)
        guard tail.count == 16, Array(tail[8...]) == Self.tailMagic,
            let start = Int(exactly: BackupFrame.number(tail, at: 0, 8)), start >= BackupHead.size, start < file.size
        else { throw .cut(file: path, bytes: file.size) }
        end = start
        guard let installation = self.keys[head.installation] else {
            throw .installationKeyMissing(file: path, key: head.installation)
        }
        let damaged = BackupError.damaged(file: path, part: .list, byte: start, found: .changed)
        guard let (frame, bytes) = try Self.frame(of: file, at: start), frame.name.isEmpty,
            start + bytes.count + 16 == file.size
        else { throw damaged }
        do {
            let text = try frame.opened(bytes, installation.secret, in: head)
            list = try JSONDecoder().decode(BackupList.self, from: Data(text))
        } catch is DecodingError { throw .unknownFormat(file: path) } catch { throw damaged }
        guard list.format == 1 else { throw .unknownFormat(file: path) }
        guard frame.number == list.chunks.count else { throw damaged }
    }

    /// Checks that every chunk is unchanged and at its place; also those whose key is gone. Changes nothing.
    package func verify() throws(BackupError) {
        let file = try ReadFile(path)
        for (number, place) in places.enumerated() { _ = try open(number, at: place, of: file) }
        let last = places.last.map { $0 + list.chunks[places.count - 1].bytes } ?? BackupHead.size
        guard last == end else { throw .damaged(file: path, part: .list, byte: end, found: .changed) }
    }

    /// The offsets of the chunks. Unit: bytes.
    private var places: [Int] {
        var place = BackupHead.size
        return list.chunks.map { chunk in
            defer { place += chunk.bytes }
            return place
        }
    }

    /// Returns the plaintext of a chunk; nil if its key is gone.
    private func open(_ number: Int, at place: Int, of file: ReadFile) throws(BackupError) -> [UInt8]? {
        let chunk = list.chunks[number]
        func damaged(_ found: BackupError.Damage) -> BackupError {
            .damaged(file: path, part: .chunk(number, of: chunk.name), byte: place, found: found)
        }
        guard place < end, let (frame, bytes) = try Self.frame(of: file, at: place) else { throw damaged(.changed) }
        guard SHA256.hash(data: bytes).lowerHex == chunk.sha256 else {
            throw damaged(frame.number == number ? .changed : .misplaced(frame.number))
        }
        guard let key = keys[frame.key] else { return nil }
        do { return try frame.opened(bytes, key.secret, in: head) } catch { throw damaged(.changed) }
    }

    /// Returns whether a group can still be read: its key exists, and so do the keys of the data that it needs.
    package func isReadable(_ group: Int) -> Bool {
        guard let name = list.groups[group].name, hasKey(group) else { return false }
        // An app's rows lost their meaning with the app, and tables are deleted as a whole.
        let needed = list.groups.indices.filter { other in
            guard let its = list.groups[other].name, other != group else { return false }
            return (its.app == name.app && its.term == .always)
                || (its.app == BackupKeyName.house && its.term == name.term && name.term.isTable)
        }
        return needed.allSatisfy(hasKey)
    }

    private func hasKey(_ group: Int) -> Bool {
        BackupKey.ID([UInt8](hex: list.groups[group].key) ?? []).map { keys[$0] != nil } ?? false
    }

    /// Reads the readable chunks of a table or a file, in order; `body` gets the plaintext of each.
    func chunks(of name: String, _ body: ([UInt8]) throws -> Void) throws {
        let file = try ReadFile(path)
        var readable: [Int: Bool] = [:]
        for (number, place) in places.enumerated() where list.chunks[number].name == name {
            let group = list.chunks[number].group
            let isIt = readable[group] ?? isReadable(group)
            readable[group] = isIt
            guard isIt, let plaintext = try open(number, at: place, of: file) else { continue }
            try body(plaintext)
        }
    }

    /// Reads a frame; returns it and all of its bytes, or nil where none begins there.
    private static func frame(of file: ReadFile, at place: Int) throws(BackupError) -> (BackupFrame, [UInt8])? {
        let first = try file.read(at: place, BackupFrame.fixed)
        guard first.count == BackupFrame.fixed, let rest = BackupFrame.rest(after: first),
            place + first.count + rest <= file.size
        else { return nil }
        let bytes = first + (try file.read(at: place + first.count, rest))
        return BackupFrame(bytes).map { ($0, bytes) }
    }
}

extension BackupTerm {
    /// True if the data is deleted with a table.
    var isTable: Bool { if case .table = self { true } else { false } }
}

/// A file that is read at any place.
private final class ReadFile {
    private let path: String
    private let descriptor: Int32
    /// The size of the file. Unit: bytes.
    let size: Int

    init(_ path: String) throws(BackupError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", path) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            size = 0
            throw .last("stat", path)
        }
        size = Int(facts.st_size)
    }

    deinit { close(descriptor) }

    /// Reads `count` bytes, or fewer where the file ends.
    func read(at place: Int, _ count: Int) throws(BackupError) -> [UInt8] {
        guard place >= 0, count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(count, max(size - place, 0)))
        var done = 0
        while done < bytes.count {
            let (start, rest) = (done, bytes.count - done)
            let more = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + start }, rest, off_t(place + start))
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw .last("read", path) }
            if more == 0 { break }
            done += more
        }
        return Array(bytes[..<done])
    }
}

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
        let id, app, term: String
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
        } catch { throw .wrongRecoveryKey(file: path) }
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
