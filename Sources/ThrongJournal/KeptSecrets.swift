internal import Foundation
internal import Synchronization
package import ThrongPlan
package import ThrongSystem

// The file of a secret, `oblivious/<day>.key` or `credentials/<month>.key`: a KeptFile, numbers little-endian.
//
//     offset  size  what
//     0       64    the secret
//     64      8     whole days, or months, since 1970 in UTC
//     72      8     the first second of its use, Unix seconds i64; the least number for always
//
// The file is on disk before anybody is told of the secret. It is overwritten, synced and removed as a window's key is.
// A damaged one is overwritten too, and reported: another secret takes its place.

/// Secrets of one day or month each, as files of a data directory.
package struct KeptSecrets: Sendable {
    /// The use of secrets, by the name of their folder.
    package enum Use: String, Sendable {
        /// The secrets of days, with which the oblivious gateway decrypts.
        case oblivious
        /// The secrets of months, with which credentials are issued.
        case credentials
    }

    /// A secret, and the time from which on it is used.
    package struct Kept: Sendable, Hashable {
        /// The secret, ``KeptSecrets/byteCount`` bytes.
        package let bytes: [UInt8]
        /// The first second at which it is used.
        package let from: UnixSeconds

        package init(_ bytes: [UInt8], from: UnixSeconds = .min) { (self.bytes, self.from) = (bytes, from) }
    }

    private let directory: String
    private let data: DataDirectory
    private let kind: FileKind
    private var disk: any Disk { data.disk }

    /// The size of a secret. Unit: bytes.
    package static let byteCount = 64

    /// Opens the folder, which is made if it is missing.
    package init(_ data: DataDirectory, for use: Use) throws(JournalError) {
        directory = "\(data.path)/\(use.rawValue)"
        kind = use == .oblivious ? .gatewayKey : .credentialKey
        self.data = data
        try data.disk.ensureDirectory(directory)
    }

    /// Returns the existing secrets, by day or month. Half-written and half-destroyed ones are removed; damaged ones
    /// are overwritten and reported.
    ///
    /// - Returns: also the days or months with a damaged secret, as far as files' names tell.
    package func all() throws(JournalError) -> (found: [Int64: Kept], damaged: [Int64]) {
        var found: [Int64: Kept] = [:]
        var damaged: [Int64] = []
        for name in try disk.names(in: directory) where !name.hasSuffix(".damaged") {
            let path = "\(directory)/\(name)"
            guard name.hasSuffix(".key") else {
                try disk.remove(path)
                continue
            }
            do throws(JournalError) {
                if let content = try disk.keptSecret(at: path, as: kind, of: data.daemon) {
                    let (time, secret) = try read(content, from: path)
                    found[time] = secret
                } else {
                    try disk.remove(path)
                }
            } catch {
                try data.spare(error, isSecret: true)
                if let time = Int64(name.dropLast(".key".utf8.count)) { damaged.append(time) }
            }
        }
        return (found, damaged)
    }

    /// Writes a secret of ``byteCount`` bytes to disk. Blocks.
    package func keep(_ secret: Kept, of time: Int64) throws(JournalError) {
        precondition(secret.bytes.count == Self.byteCount, "a secret has \(Self.byteCount) bytes")
        let content = secret.bytes + ByteWriter.bytes(of: time, secret.from.value)
        try disk.keep(content, at: path(of: time), as: kind, of: data.daemon)
    }

    /// Destroys a secret: it is overwritten, synced and removed. Blocks.
    package func destroy(_ time: Int64) throws(JournalError) {
        let path = path(of: time)
        guard disk.exists(path) else { return }
        try disk.blank(path, with: KeptFile.gone(KeptFile.headSize + Self.byteCount + 16))
        try disk.remove(path)
        try disk.syncDirectory(directory)
    }

    private func path(of time: Int64) -> String { "\(directory)/\(time).key" }

    private func read(_ content: [UInt8], from path: String) throws(JournalError) -> (Int64, Kept) {
        let (time, secret) = try disk.reading(content, of: path, as: kind) { reader throws(JournalError) in
            let secret = Array(try reader.nextBytes(Self.byteCount))
            return (try reader.next(Int64.self), Kept(secret, from: UnixSeconds(try reader.next())))
        }
        guard path == self.path(of: time) else {
            throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .misplaced(name: self.path(of: time))))
        }
        return (time, secret)
    }
}

/// A secret of a data directory that lasts as long as the directory does: a ``KeptFile`` of 32 bytes.
package struct LastingSecret: Sendable {
    /// The size of a secret. Unit: bytes.
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Reads the secret, of ``byteCount`` bytes, of a file in the directory, or makes one if there is none. Blocks.
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

// The file of the credentials issued in a month, `issued/<month>.log`: a KeptFile whose content is the month, whole
// months since 1970 in eight bytes, followed by records of 20 bytes. Numbers are little-endian.
//
//     offset  size  what
//     0       8     the device, by a keyed hash
//     8       8     the request, by a keyed hash
//     16      4     CRC-32C of the month and everything before
//
// A record is on disk before its answer is sent. The file is removed with the month's key, without which it identifies
// nobody. A damaged record is skipped and reported: only one place in a device's count is lost. A damaged beginning is treated the same.

/// The record that a device got an answer to a request for a credential.
package struct IssuedRecord: Hashable, Sendable {
    /// A keyed hash of app and device: the same for all requests of one device in one month.
    package let device: UInt64
    /// A keyed hash of app and request.
    package let request: UInt64

    package init(device: UInt64, request: UInt64) { (self.device, self.request) = (device, request) }
}

/// The devices that got credentials in one month, as a file of a data directory.
package final class IssuedRecords: Sendable {
    private struct State {
        /// The valid size of the file. Unit: bytes.
        var size: Int
        /// True if other bytes may follow, or if what was written may not be on disk.
        var isDoubtful: Bool
    }

    private let path: String
    private let daemon: UUID
    private let disk: any Disk
    private let month: Int64
    private let state: Mutex<State>

    private static let recordBytes = 20

    /// Reads the records of a month, which is counted from January 1970, in the order in which they were written.
    package init(_ data: DataDirectory, month: Int64, take: (IssuedRecord) -> Void) throws(JournalError) {
        let folder = data.path + "/issued"
        (path, daemon, disk) = ("\(folder)/\(month).log", data.daemon, data.disk)
        self.month = month
        try disk.ensureDirectory(folder)
        guard let bytes = try Self.bytes(path, in: data) else {
            state = Mutex(State(size: 0, isDoubtful: false))
            return
        }
        let head = Self.head(of: month, data.daemon)
        if !bytes.starts(with: head) {
            let place = zip(bytes, head).enumerated().first { $1.0 != $1.1 }?.offset ?? bytes.count
            data.tell(FileDamage(path: path, kind: .issuedRecords, flaw: .changed(byte: place)))
        }
        let size = max(head.count, bytes.count - (bytes.count - head.count) % Self.recordBytes)
        var bad: Int?
        try bytes.reading { buffer throws(JournalError) in
            var reader = RecordReader(buffer)
            _ = try reader.nextBytes(min(head.count, buffer.count))
            while reader.offset < size, !reader.isAtEnd {
                let place = reader.offset
                let record = IssuedRecord(device: try reader.next(), request: try reader.next())
                if try reader.next(UInt32.self) == Self.checksum(record, month) {
                    take(record)
                } else {
                    bad = bad ?? place
                }
            }
        }
        if let bad {
            data.tell(
                FileDamage(path: path, kind: .issuedRecords, flaw: .unlike(from: bad, to: bad + Self.recordBytes)))
        }
        state = Mutex(State(size: size, isDoubtful: true))
    }

    /// Returns the file's bytes; nil if it is missing, or unreadable and now set aside.
    private static func bytes(_ path: String, in data: DataDirectory) throws(JournalError) -> [UInt8]? {
        guard data.disk.exists(path) else { return nil }
        do throws(JournalError) { return try data.disk.whole(path, as: .issuedRecords) } catch {
            try data.spare(error)
            return nil
        }
    }

    private static func head(of month: Int64, _ daemon: UUID) -> [UInt8] {
        KeptFile.bytes(ByteWriter.bytes(of: month), as: .issuedRecords, of: daemon)
    }

    /// Appends records and waits until they are on disk. Blocks.
    ///
    /// After an error none of them counts, and they may be appended again.
    package func append(_ records: [IssuedRecord]) throws(JournalError) {
        guard !records.isEmpty else { return }
        try state.withLock { state throws(JournalError) in
            if state.isDoubtful || state.size == 0 {
                let head = Self.head(of: month, daemon)
                let former =
                    state.size > 0 ? try disk.contents(path, from: 0, count: state.size).dropFirst(head.count) : []
                // A sync that failed may have left pages in memory that no later one writes.
                try disk.replace(path, with: head + former)
                state.size = head.count + former.count
                state.isDoubtful = false
            }
            state.isDoubtful = true
            var writer = ByteWriter()
            for record in records { writer.add(numbers: record.device, record.request, Self.checksum(record, month)) }
            do {
                let file = try File(path, flags: O_WRONLY | O_APPEND, on: disk)
                try file.write(writer.bytes)
                try file.sync()
            }
            state.size += writer.bytes.count
            state.isDoubtful = false
        }
    }

    package static func months(in data: DataDirectory) throws(JournalError) -> [Int64] {
        let folder = data.path + "/issued"
        guard data.disk.exists(folder) else { return [] }
        return try data.disk.names(in: folder).compactMap { $0.hasSuffix(".log") ? Int64($0.dropLast(4)) : nil }
    }

    package static func remove(month: Int64, in data: DataDirectory) throws(JournalError) {
        let folder = data.path + "/issued"
        guard data.disk.exists("\(folder)/\(month).log") else { return }
        try data.disk.remove("\(folder)/\(month).log")
        try data.disk.syncDirectory(folder)
    }

    private static func checksum(_ record: IssuedRecord, _ month: Int64) -> UInt32 {
        CRC32C.checksum(ByteWriter.bytes(of: month, record.device, record.request))
    }
}
