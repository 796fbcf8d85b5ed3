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

internal import Foundation
internal import Synchronization
internal import ThrongSystem

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
        do throws(JournalError) {
            return try data.disk.whole(path, as: .issuedRecords)
        } catch {
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
            for record in records {
                writer.add(numbers: record.device, record.request, Self.checksum(record, month))
            }
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
