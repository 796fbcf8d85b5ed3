// The file of a day's secret: `oblivious/<day>.key`. Numbers are little-endian.
//
//     offset  size  what
//     0       8     "THRONGO1"
//     8       64    the secret
//     72      8     the day: whole days since 1970 in UTC
//     80      4     CRC-32C of everything before
//
// The file is on disk before anybody is told of the secret. It is overwritten, synced and removed as a window's key is.

internal import Foundation

/// Secrets of one day each, as files of a data directory.
package struct DailySecrets: Sendable {
    private let directory: String
    private let disk: any Disk

    /// Of one secret. Unit: bytes.
    package static let byteCount = 64
    private static let magic = Array("THRONGO1".utf8)

    /// Names the folder, and makes it where it is missing.
    package init(_ data: DataDirectory) throws(JournalError) {
        directory = data.path + "/oblivious"
        disk = data.disk
        try disk.ensureDirectory(directory)
    }

    /// The secrets that are there, by day. What is half written or half destroyed is removed.
    ///
    /// - Throws: ``JournalError/unknownFormat(file:)`` where a file is none of these.
    package func all() throws(JournalError) -> [Int64: [UInt8]] {
        var found: [Int64: [UInt8]] = [:]
        for name in try disk.names(in: directory) {
            let path = "\(directory)/\(name)"
            let bytes = try disk.contents(path)
            if name.hasSuffix(".new") || bytes.starts(with: Self.blank) {
                try disk.remove(path)
                continue
            }
            let (day, secret) = try Self.read(bytes, from: path)
            found[day] = secret
        }
        return found
    }

    /// Brings a secret to disk. Blocks.
    ///
    /// - Parameter secret: ``byteCount`` bytes.
    package func keep(_ secret: [UInt8], of day: Int64) throws(JournalError) {
        precondition(secret.count == Self.byteCount, "a secret has \(Self.byteCount) bytes")
        var writer = ByteWriter(bytes: Self.magic)
        writer.bytes += secret
        writer.add(day)
        writer.add(CRC32C.checksum(writer.bytes))
        try disk.replace(path(of: day), with: writer.bytes)
    }

    /// Destroys the secret of a day: overwritten, synced, removed. Blocks.
    package func destroy(_ day: Int64) throws(JournalError) {
        let path = path(of: day)
        guard disk.exists(path) else { return }
        do {
            let file = try File(path, flags: O_WRONLY, on: disk)
            try file.write(Self.blank)
            try file.sync()
        }
        try disk.remove(path)
        try disk.syncDirectory(directory)
    }

    private func path(of day: Int64) -> String { "\(directory)/\(day).key" }

    private static let blank = [UInt8](repeating: 0, count: magic.count + byteCount)

    private static func read(_ bytes: [UInt8], from path: String) throws(JournalError) -> (Int64, [UInt8]) {
        guard bytes.count == magic.count + byteCount + 12, Array(bytes.prefix(magic.count)) == magic else {
            throw .unknownFormat(file: path)
        }
        return try bytes.reading { buffer throws(JournalError) in
            var reader = ByteReader(buffer)
            _ = try reader.nextBytes(magic.count)
            let secret = Array(try reader.nextBytes(byteCount))
            let day = try reader.next(Int64.self)
            let expected = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<reader.offset]))
            guard try reader.next(UInt32.self) == expected else { throw .unknownFormat(file: path) }
            return (day, secret)
        }
    }
}
