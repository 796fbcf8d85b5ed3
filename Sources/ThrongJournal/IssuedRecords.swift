// The file of what was issued in a month: `issued/<month>.log`, records of 20 bytes and nothing else. Numbers are little-endian.
//
//     offset  size  what
//     0       8     the device, by a keyed hash
//     8       8     the request, by a keyed hash
//     16      4     CRC-32C of the month, whole months since 1970 in eight bytes, and everything before
//
// A record is on disk before its answer goes out. The file is removed with the month's key, without which it says of nobody who
// it was. A record that is damaged is left out: nothing is lost by it but one place in a device's count.

internal import Foundation
internal import Synchronization

/// That a device got an answer to a request for a credential.
package struct IssuedRecord: Hashable, Sendable {
    /// A keyed hash of app and device: the same for all requests of one device in one month.
    package let device: UInt64
    /// A keyed hash of app and request.
    package let request: UInt64

    /// Puts a record together.
    package init(device: UInt64, request: UInt64) {
        self.device = device
        self.request = request
    }
}

/// Who got credentials in one month, as a file of a data directory.
package final class IssuedRecords: Sendable {
    private struct State {
        /// What of the file counts. Unit: bytes.
        var size: Int
        /// Whether something else may stand behind that, or what was written may not be on disk.
        var isDoubtful: Bool
    }

    private let path: String
    private let disk: any Disk
    private let month: Int64
    private let state: Mutex<State>

    private static let recordBytes = 20

    /// Reads what was issued in a month.
    ///
    /// - Parameters:
    ///   - month: whole months since January 1970.
    ///   - take: gets each record, in the order in which they were written.
    package init(
        _ data: DataDirectory, month: Int64, take: (IssuedRecord) -> Void
    ) throws(JournalError) {
        let folder = data.path + "/issued"
        (path, disk) = ("\(folder)/\(month).log", data.disk)
        self.month = month
        try disk.ensureDirectory(folder)
        guard disk.exists(path) else {
            state = Mutex(State(size: 0, isDoubtful: false))
            return
        }
        let bytes = try disk.contents(path)
        let size = bytes.count - bytes.count % Self.recordBytes
        try bytes.reading { buffer throws(JournalError) in
            var reader = ByteReader(buffer)
            while reader.offset < size {
                let record = IssuedRecord(device: try reader.next(), request: try reader.next())
                if try reader.next(UInt32.self) == Self.checksum(record, month) { take(record) }
            }
        }
        state = Mutex(State(size: size, isDoubtful: true))
    }

    /// Appends records; once it returns they are on disk. Blocks.
    ///
    /// After an error none of them counts, and may be appended again.
    package func append(_ records: [IssuedRecord]) throws(JournalError) {
        guard !records.isEmpty else { return }
        try state.withLock { state throws(JournalError) in
            if state.isDoubtful {
                // A sync that failed may have left pages in memory that no later one writes.
                try disk.replace(path, with: state.size > 0 ? disk.contents(path, from: 0, count: state.size) : [])
                state.isDoubtful = false
            }
            let isNew = !disk.exists(path)
            state.isDoubtful = true
            var writer = ByteWriter()
            for record in records {
                writer.add(record.device)
                writer.add(record.request)
                writer.add(Self.checksum(record, month))
            }
            do {
                let file = try File(path, flags: O_WRONLY | O_APPEND | O_CREAT, on: disk)
                try file.write(writer.bytes)
                try file.sync()
            }
            if isNew { try disk.syncDirectory(File.directory(of: path)) }
            state.size += writer.bytes.count
            state.isDoubtful = false
        }
    }

    /// The months of which there are files.
    package static func months(in data: DataDirectory) throws(JournalError) -> [Int64] {
        let folder = data.path + "/issued"
        guard data.disk.exists(folder) else { return [] }
        return try data.disk.names(in: folder).compactMap { $0.hasSuffix(".log") ? Int64($0.dropLast(4)) : nil }
    }

    /// Removes what was issued in a month.
    package static func remove(month: Int64, in data: DataDirectory) throws(JournalError) {
        let folder = data.path + "/issued"
        guard data.disk.exists("\(folder)/\(month).log") else { return }
        try data.disk.remove("\(folder)/\(month).log")
        try data.disk.syncDirectory(folder)
    }

    private static func checksum(_ record: IssuedRecord, _ month: Int64) -> UInt32 {
        var writer = ByteWriter()
        writer.add(month)
        writer.add(record.device)
        writer.add(record.request)
        return CRC32C.checksum(writer.bytes)
    }
}
