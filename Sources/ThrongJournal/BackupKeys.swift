package import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongSystem

// The key of a part of all backups, `backup.keys/<id, 32 hexadecimal digits>.key`: a KeptFile, numbers little-endian.
//
//     offset  size  what
//     0       16    the key's id, which backups name
//     16      32    the key; zeros once it was destroyed
//     48      2+n   the app's name, or *: length, UTF-8
//     ...     2+n   its term: always, day <days since 1970>, or table <name>
//
// The file is on disk before a backup uses the key. When its term is over, the key is overwritten with zeros and
// synced. From then on that part of all backups can't be read. The file stays until its destruction is recorded.

/// The key of a part of all backups.
package struct BackupKey: Sendable {
    /// The random identity of the key in backups.
    package let id: ID
    /// The part of backups that it opens.
    package let name: BackupKeyName
    /// 256 random bits.
    package let secret: SymmetricKey

    /// The identity of a key in backups: 16 bytes.
    package struct ID: Sendable, Hashable, Comparable, CustomStringConvertible {
        package let bytes: [UInt8]

        /// Wraps bytes; nil unless there are 16.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == 16 else { return nil }
            self.bytes = bytes
        }

        package var description: String { bytes.lowerHex }

        package static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
    }

    package init(id: ID, name: BackupKeyName, secret: SymmetricKey) {
        (self.id, self.name, self.secret) = (id, name, secret)
    }
}

/// The keys of all backups of a data directory. Commands make them while a daemon runs; the daemon destroys them.
package struct BackupKeys: Sendable {
    private let folder: String
    private let machine: Machine
    private var disk: any Disk { machine.disk }

    private static let secretSize = 32

    package init(dataPath: String, on machine: Machine = .real) {
        folder = dataPath + "/backup.keys"
        self.machine = machine
    }

    package func all() throws(JournalError) -> [BackupKey] {
        let (files, damage) = try files()
        if let damage { throw damage }
        return files.compactMap(\.key).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Creates a key; it is on disk when this returns.
    package func make(_ name: BackupKeyName) throws(JournalError) -> BackupKey {
        let bytes = [machine.random(), machine.random()].flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
        guard let id = BackupKey.ID(bytes) else { preconditionFailure("two numbers of 64 bits are 16 bytes") }
        let key = BackupKey(id: id, name: name, secret: SymmetricKey(size: .bits256))
        try keep([key])
        return key
    }

    /// Writes keys to disk, such as those that were stored elsewhere.
    package func keep(_ keys: [BackupKey]) throws(JournalError) {
        try disk.ensureDirectory(folder)
        for key in keys {
            let secret = key.secret.withUnsafeBytes { Array($0) }
            try disk.keep(Self.content(key.id, secret, key.name), at: path(of: key.id), as: .backupKey)
        }
    }

    private static func content(_ id: BackupKey.ID, _ secret: [UInt8], _ name: BackupKeyName) -> [UInt8] {
        var writer = ByteWriter(bytes: id.bytes + secret)
        writer.add(name.app)
        writer.add(name.term.text)
        return writer.bytes
    }

    /// Overwrites keys whose term is over; returns the number destroyed of each name, with those whose destruction was
    /// not recorded yet. Call ``forgetDestroyed()`` once it is recorded. Blocks.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)`` for a key whose term can't be read, once all others are done.
    package func destroy(_ isDue: (BackupKeyName) -> Bool) throws(JournalError) -> [BackupKeyName: Int] {
        var destroyed: [BackupKeyName: Int] = [:]
        let (files, damage) = try files()
        // If this is cut short, the keys that remain are those that were due last.
        for file in files.sorted(by: { ($0.name.term.text, $0.name) < ($1.name.term.text, $1.name) }) {
            if file.key != nil {
                guard isDue(file.name) else { continue }
                FaultPoint.reached("before_backup_key_destroyed")
                let blank = Self.content(file.id, [UInt8](repeating: 0, count: Self.secretSize), file.name)
                try disk.blank(file.path, with: KeptFile.bytes(blank, as: .backupKey))
                FaultPoint.reached("in_backup_key_destroyed")
            }
            destroyed[file.name, default: 0] += 1
        }
        if let damage { throw damage }
        return destroyed
    }

    /// Removes the files of destroyed keys, once their destruction is recorded.
    package func forgetDestroyed() throws(JournalError) {
        let gone = try files().whole.filter { $0.key == nil }
        for file in gone { try disk.remove(file.path) }
        if !gone.isEmpty { try disk.syncDirectory(folder) }
    }

    /// Keeps other processes from making keys, and from destroying those of an app, until it is released; nil if one of
    /// them is doing so. A backup of a moment before an app was deleted must not get a key afterwards.
    package func hold() throws(JournalError) -> Hold? {
        guard let lock = try disk.lock(folder + ".lock") else { return nil }
        return Hold(lock, on: disk)
    }

    /// The exclusive right to make keys, as long as the object lives.
    package final class Hold: Sendable {
        private let lock: Int32
        private let disk: any Disk

        fileprivate init(_ lock: Int32, on disk: any Disk) { (self.lock, self.disk) = (lock, disk) }

        deinit { disk.unlock(lock) }
    }

    private struct KeyFile {
        let path: String
        let id: BackupKey.ID
        let name: BackupKeyName
        let key: BackupKey?
    }

    private func path(of id: BackupKey.ID) -> String { "\(folder)/\(id).key" }

    private func files() throws(JournalError) -> (whole: [KeyFile], damage: JournalError?) {
        guard disk.exists(folder) else { return ([], nil) }
        var found: [KeyFile] = []
        var damage: JournalError?
        for name in try disk.names(in: folder) where name.hasSuffix(".key") {
            let path = "\(folder)/\(name)"
            do throws(JournalError) { found.append(try read(path)) } catch {
                switch error {
                // Another process may have removed the file since.
                case .system(_, _, ENOENT): continue
                case .damagedFile: damage = damage ?? error
                default: throw error
                }
            }
        }
        return (found, damage)
    }

    private func read(_ path: String) throws(JournalError) -> KeyFile {
        let content = try disk.kept(at: path, as: .backupKey)
        let file = try disk.reading(content, of: path, as: .backupKey) { reader throws(JournalError) -> KeyFile? in
            let id = BackupKey.ID(Array(try reader.nextBytes(16)))
            let secret = Array(try reader.nextBytes(Self.secretSize))
            let app = try reader.nextText()
            guard let id, let term = BackupTerm(try reader.nextText()) else { return nil }
            let name = BackupKeyName(app: app, term: term)
            let isGone = secret.allSatisfy { $0 == 0 }
            return KeyFile(
                path: path, id: id, name: name,
                key: isGone ? nil : BackupKey(id: id, name: name, secret: SymmetricKey(data: secret)))
        }
        guard path == self.path(of: file.id) else {
            throw .damagedFile(FileDamage(path: path, kind: .backupKey, flaw: .misplaced(name: self.path(of: file.id))))
        }
        return file
    }
}

/// The name of a part of the data, in the house and in its backups: whoever has the part's key can read it.
package struct BackupKeyName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The app that it is of; ``house`` if it is of several apps together.
    package let app: String
    package let term: BackupTerm

    /// The name in place of an app for what belongs to no app alone.
    package static let house = "*"

    /// The part that the installation keeps for good: its key encrypts the list of a backup's content.
    package static let installation = BackupKeyName(app: house, term: .always)

    package init(app: String, term: BackupTerm) { (self.app, self.term) = (app, term) }

    /// True if its day has come, on which the house drops it.
    package func isOver(at now: UnixSeconds) -> Bool {
        if case .day(let day) = term { UnixSeconds(day * 86_400) <= now } else { false }
    }

    package static func < (one: Self, other: Self) -> Bool { (one.app, one.term.text) < (other.app, other.term.text) }

    /// The name in words, such as "shop, until 2026-12-01".
    package var description: String { "\(app == Self.house ? "all apps" : app), \(term)" }
}

/// The term for which the house keeps something.
package enum BackupTerm: Sendable, Hashable, CustomStringConvertible {
    /// The part lasts as long as its app, or the installation.
    case always
    /// The part lasts until the round of retention of a day (UTC). Unit: days since 1970.
    case day(Int64)
    /// The part lasts until a table of raw counters or distinct counts is dropped; the table's name in schema throng.
    case table(String)

    /// The text in files and SQL: `always`, `day 20783` or `table counter_d_20261121`.
    package var text: String {
        switch self {
        case .always: "always"
        case .day(let day): "day \(day)"
        case .table(let name): "table \(name)"
        }
    }

    /// Reads ``text`` back; nil if it is malformed.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        switch (words.first, words.count) {
        case ("always", 1): self = .always
        case ("day", 2):
            guard let day = Int64(words[1]) else { return nil }
            self = .day(day)
        case ("table", 2): self = .table(String(words[1]))
        default: return nil
        }
    }

    package var description: String {
        switch self {
        case .always: "for good"
        case .day(let day): "until \(CalendarDate(daysSince1970: day))"
        case .table(let name): "with \(name)"
        }
    }
}

/// The times at which a backup of a data directory was last made, last failed, and its keys were last exported:
/// `backup.made`, `backup.failed` and `backup.exported`, each a ``KeptFile`` with the seconds since 1970 as digits and
/// a line break. They are for operators; no decision depends on them.
package struct BackupMarks: Sendable {
    package enum Deed: String, Sendable, CaseIterable { case made, failed, exported }

    private let folder: String
    private let disk: any Disk

    package init(dataPath: String, on machine: Machine = .real) { (folder, disk) = (dataPath, machine.disk) }

    /// Sets a mark; it is on disk when this returns.
    package func note(_ deed: Deed, at now: UnixSeconds) throws(JournalError) {
        try disk.keep(Array("\(now.value)\n".utf8), at: path(of: deed), as: .backupMark)
    }

    /// Returns the time of the last mark of a kind; nil if there is none.
    package func last(_ deed: Deed) throws(JournalError) -> UnixSeconds? {
        let path = path(of: deed)
        guard disk.exists(path) else { return nil }
        let content = try disk.kept(at: path, as: .backupMark)
        guard content.last == 0x0A, let seconds = Int64(String(decoding: content.dropLast(), as: UTF8.self)) else {
            throw .damagedFile(FileDamage(path: path, kind: .backupMark, flaw: .content))
        }
        return UnixSeconds(seconds)
    }

    private func path(of deed: Deed) -> String { "\(folder)/backup.\(deed.rawValue)" }
}
