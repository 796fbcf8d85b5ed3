package import Foundation

/// The kinds of small files that a daemon keeps. Faults.md lists what each is for, and what its damage stops.
package enum FileKind: String, Sendable, CaseIterable {
    case daemonName = "daemon-name"
    case windowKey = "window-key"
    case closedWindows = "closed-windows"
    case layout
    case goneLayout = "gone-layout"
    case attachment
    case members
    case left
    case believedTime = "believed-time"
    case offeredMark = "offered-mark"
    case gatewayKey = "gateway-key"
    case gatewaySecret = "gateway-secret"
    case credentialKey = "credential-key"
    case issuedRecords = "issued-records"
    case flushKey = "flush-key"
    case flushes
    case backupKey = "backup-key"
    case backupMark = "backup-mark"
    case recoveryKey = "recovery-key"
    case appKeys = "app-keys"
    case planSource = "plan-source"
    case rewrittenPages = "rewritten-pages"
    case installationSecret = "installation-secret"
    case evaluatorKey = "evaluator-key"
    case suppressSecret = "suppress-secret"

    /// The version of its content that this program writes and reads.
    package var version: Int { 1 }

    /// The kind as a noun phrase for messages.
    package var title: String {
        switch self {
        case .daemonName: "the daemon's name"
        case .windowKey: "the key of a window"
        case .closedWindows: "the list of windows that are over"
        case .layout: "what the journal's cells mean"
        case .goneLayout: "the mark of a metric that went with its app"
        case .attachment: "how the folder last attached to PostgreSQL"
        case .members: "the list of daemons that count"
        case .left: "the mark of a daemon that stopped"
        case .believedTime: "the latest time that was believed"
        case .offeredMark: "how far PostgreSQL may have come"
        case .gatewayKey: "the gateway's key of a day"
        case .gatewaySecret: "the secret that vouches for the gateway's keys"
        case .credentialKey: "the secret of a month's credentials"
        case .issuedRecords: "what credentials were issued"
        case .flushKey: "the key of kept flushes"
        case .flushes: "flushes that are kept"
        case .backupKey: "a key of backups"
        case .backupMark: "when a backup was made"
        case .recoveryKey: "the recovery key's public part"
        case .appKeys: "the keys of apps"
        case .planSource: "where a plan was read from"
        case .rewrittenPages: "how far pages were rewritten"
        case .installationSecret: "the secret from which releases draw noise"
        case .evaluatorKey: "the evaluator's key"
        case .suppressSecret: "a secret for throng suppress"
        }
    }

    private static let lost =
        "Without one the data directory is lost: start with an empty one, and `throng daemon leave NAME --data-is-lost` (see SeveralDaemons)."

    /// The remedy for a damaged file of this kind.
    package var cure: String {
        switch self {
        case .daemonName: "It belongs to the journal: restore it from a copy of this folder. " + Self.lost
        case .windowKey: "Restore it from a copy of this folder; backups don't have it. " + Self.lost
        case .closedWindows:
            "Restore it from a copy of this folder. Without one, move it away and start, if the clock has not been set back since the daemon ran: "
                + "windows that are over by the clock stay closed."
        case .layout:
            "Restore it from a copy of this folder, or start by the plan that had the metric, which writes it anew; it is needed while the journal "
                + "has batches of it."
        case .attachment:
            "It tells this folder from copies of it. Make sure that no other copy has run since, move the file away and start."
        case .gatewaySecret:
            "Restore it from a backup, or from another daemon of this database. Without one, delete it: a new one is made, and apps have to trust "
                + "the new identity before they can seal anything."
        case .appKeys: "Restore it from a backup, or from another daemon of this database."
        case .installationSecret:
            "Restore it from a backup, or from another daemon of this database. Another one draws other noise, and two draws tell more than one."
        case .evaluatorKey: "Restore it from the copy that you keep: with another key every label is learned anew."
        case .suppressSecret: "Restore it from where you keep it, or make another with --new-secret."
        case .recoveryKey:
            "Restore it from a backup, or make another with `throng backup keys --new-recovery-key --replace`, and export the keys anew."
        case .backupKey:
            "Move it away: another is made. What earlier backups have under it can be read then only with keys that were exported."
        case .backupMark: "The next backup, or export of its keys, writes it anew."
        case .goneLayout, .members, .left, .believedTime, .offeredMark, .gatewayKey, .credentialKey, .issuedRecords,
            .flushKey, .flushes, .planSource, .rewrittenPages:
            "It is set aside, or overwritten where it is a secret, and nothing has to be done: it is made anew."
        }
    }
}

/// The error that a small file of a daemon's is damaged, missing or not the one expected.
package struct FileDamage: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let kind: FileKind
    package let flaw: Flaw

    package init(path: String, kind: FileKind, flaw: Flaw) { (self.path, self.kind, self.flaw) = (path, kind, flaw) }

    /// A flaw of a file. Places are offsets in bytes from its beginning, counted from 0.
    package enum Flaw: Sendable, Hashable {
        case empty
        /// The file ends too early; nil if even its size is missing.
        case cutOff(at: Int, of: Int?)
        case longer(than: Int, found: Int)
        case zeroes(from: Int)
        case changed(byte: Int)
        case unlike(from: Int, to: Int)
        case foreign
        /// The file is intact but of another kind; nil for a kind that this version does not know.
        case otherKind(found: FileKind?)
        case otherDaemon(found: UUID, expected: UUID?)
        case misplaced(name: String)
        case newer(version: Int)
        case content
        case missing
        case gone
        case directory
        /// A pipe, a socket or a device.
        case special
        case unreadable(code: Int32)

        /// The flaw of a file that can't be opened or read.
        package init(code: Int32) {
            self = code == EISDIR ? .directory : code == ENXIO ? .special : .unreadable(code: code)
        }
    }

    package var description: String { "\(path) \(found) \(cure)" }

    private var found: String {
        switch flaw {
        case .empty: "is damaged at byte 0: it is empty, and was \(kind.title)."
        case .cutOff(let place, let size?):
            "is damaged at byte \(place): it ends there, and \(kind.title) was \(size) bytes long."
        case .cutOff(let place, nil):
            "is damaged at byte \(place): it ends there, within the line that says what it is."
        case .longer(let size, let found):
            "is damaged at byte \(size): \(found - size) bytes more follow than \(kind.title) has."
        case .zeroes(let place): "is damaged at byte \(place): all is zero from there on, and was \(kind.title)."
        case .changed(let place): "is damaged at byte \(place): that is not what was written there."
        case .unlike(let from, let to):
            "is damaged somewhere in bytes \(from) to \(to - 1): they don't have the checksum that was written."
        case .foreign: "is damaged at byte 0: it does not begin as a file of throng's does, and was \(kind.title)."
        case .otherKind(let other):
            "is not \(kind.title) but \(other?.title ?? "a file of a kind that this version does not know"): somebody has put it in the other's place."
        case .otherDaemon(let found, let expected):
            "belongs to another daemon: it says \(found), and this one is \(expected.map { "\($0)" } ?? "nobody's alone")."
        case .misplaced(let name): "holds what belongs in \(name): somebody has put it in the other's place."
        case .newer(let version):
            "was written by a newer version of throng, whose \(kind.rawValue) has format \(version); this one reads \(kind.version)."
        case .content: "has a checksum that matches, and holds something else than \(kind.title) does."
        case .missing: "is missing: it was \(kind.title), and what belongs to it is there."
        case .gone: "was overwritten because its time was over, and something needs it."
        case .directory: "is a directory, where \(kind.title) is expected."
        case .special: "is a pipe, a socket or a device, where \(kind.title) is expected."
        case .unreadable(let code): "can't be read: \(String(cString: strerror(code))) (errno \(code))."
        }
    }

    private var cure: String {
        switch flaw {
        case .newer: "Start that version, or a newer one."
        case .unreadable: "Check the disk, and the file's owner and permissions. If it is lost: \(kind.cure)"
        default: kind.cure
        }
    }
}

/// The Castagnoli CRC, eight bytes at a time.
///
/// Source: RFC 3720, appendix B.4 (polynomial, check values); Kounavis and Berry 2005 (slicing by 8).
package enum CRC32C {
    /// Eight tables of 256 entries: table s has the effect of a byte that lies s places further on.
    private static let table: [UInt32] = {
        var table: [UInt32] = []
        for byte in 0..<UInt32(256) {
            var crc = byte
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            table.append(crc)
        }
        for place in 256..<2048 {
            let earlier = table[place - 256]
            table.append((earlier >> 8) ^ table[Int(earlier & 0xFF)])
        }
        return table
    }()

    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { checksum(bytes, by: $0) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, by table: UnsafeBufferPointer<UInt32>) -> UInt32 {
        var crc: UInt32 = ~0
        var offset = 0
        while offset + 8 <= bytes.count {
            let low = crc ^ UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            let first = table[1792 + Int(low & 0xFF)] ^ table[1536 + Int(low >> 8 & 0xFF)]
            let second = table[1280 + Int(low >> 16 & 0xFF)] ^ table[1024 + Int(low >> 24)]
            let third = table[768 + Int(high & 0xFF)] ^ table[512 + Int(high >> 8 & 0xFF)]
            let fourth = table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
            crc = first ^ second ^ third ^ fourth
            offset += 8
        }
        while offset < bytes.count {
            crc = (crc >> 8) ^ table[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
            offset += 1
        }
        return ~crc
    }

    package static func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { checksum($0) } }

    /// Returns the place of the one byte whose change explains a difference of checksums; nil if no single byte does.
    ///
    /// The difference is stepped back byte by byte to the changed one, before which there was no difference.
    package static func changedByte(of count: Int, difference: UInt32) -> Int? {
        var rest = difference
        for place in (0..<count).reversed() {
            guard let index = (0..<256).first(where: { table[$0] >> 24 == rest >> 24 }) else { return nil }
            let shifted = rest ^ table[index]
            if shifted == 0, index != 0 { return place }
            rest = shifted << 8 | UInt32(index)
        }
        return nil
    }
}
