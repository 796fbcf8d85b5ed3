// The file of a secret: `oblivious/<day>.key` or `credentials/<month>.key`. Numbers are little-endian.
//
//     offset  size  what
//     0       8     "THRONGO1" for a day's, "THRONGE1" for a month's
//     8       64    the secret
//     72      8     whole days, or months, since 1970 in UTC
//     80      4     CRC-32C of everything before
//
// The file is on disk before anybody is told of the secret. It is overwritten, synced and removed as a window's key is.

internal import Foundation

/// Secrets of one day or month each, as files of a data directory.
package struct KeptSecrets: Sendable {
    /// What secrets are for, and so where they lie.
    package enum Use: Sendable {
        /// A day's, by which the oblivious gateway opens.
        case oblivious
        /// A month's, by which credentials are issued.
        case credentials

        fileprivate var folder: String {
            switch self {
            case .oblivious: "oblivious"
            case .credentials: "credentials"
            }
        }

        fileprivate var magic: [UInt8] {
            switch self {
            case .oblivious: Array("THRONGO1".utf8)
            case .credentials: Array("THRONGE1".utf8)
            }
        }
    }

    private let directory: String
    private let disk: any Disk
    private let magic: [UInt8]

    /// Of one secret. Unit: bytes.
    package static let byteCount = 64

    /// Names the folder, and makes it where it is missing.
    package init(_ data: DataDirectory, for use: Use) throws(JournalError) {
        directory = "\(data.path)/\(use.folder)"
        magic = use.magic
        disk = data.disk
        try disk.ensureDirectory(directory)
    }

    /// The secrets that are there, by day or month. What is half written or half destroyed is removed.
    ///
    /// - Throws: ``JournalError/unknownFormat(file:)`` where a file is none of these.
    package func all() throws(JournalError) -> [Int64: [UInt8]] {
        var found: [Int64: [UInt8]] = [:]
        for name in try disk.names(in: directory) {
            let path = "\(directory)/\(name)"
            let bytes = try disk.contents(path)
            if name.hasSuffix(".new") || bytes.starts(with: blank) {
                try disk.remove(path)
                continue
            }
            let (time, secret) = try read(bytes, from: path)
            found[time] = secret
        }
        return found
    }

    /// Brings a secret to disk. Blocks.
    ///
    /// - Parameter secret: ``byteCount`` bytes.
    package func keep(_ secret: [UInt8], of time: Int64) throws(JournalError) {
        precondition(secret.count == Self.byteCount, "a secret has \(Self.byteCount) bytes")
        var writer = ByteWriter(bytes: magic)
        writer.bytes += secret
        writer.add(time)
        writer.add(CRC32C.checksum(writer.bytes))
        try disk.replace(path(of: time), with: writer.bytes)
    }

    /// Destroys a secret: overwritten, synced, removed. Blocks.
    package func destroy(_ time: Int64) throws(JournalError) {
        let path = path(of: time)
        guard disk.exists(path) else { return }
        do {
            let file = try File(path, flags: O_WRONLY, on: disk)
            try file.write(blank)
            try file.sync()
        }
        try disk.remove(path)
        try disk.syncDirectory(directory)
    }

    private func path(of time: Int64) -> String { "\(directory)/\(time).key" }

    private var blank: [UInt8] { [UInt8](repeating: 0, count: magic.count + Self.byteCount) }

    private func read(_ bytes: [UInt8], from path: String) throws(JournalError) -> (Int64, [UInt8]) {
        guard bytes.count == magic.count + Self.byteCount + 12, Array(bytes.prefix(magic.count)) == magic else {
            throw .unknownFormat(file: path)
        }
        return try bytes.reading { buffer throws(JournalError) in
            var reader = ByteReader(buffer)
            _ = try reader.nextBytes(magic.count)
            let secret = Array(try reader.nextBytes(Self.byteCount))
            let time = try reader.next(Int64.self)
            let expected = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<reader.offset]))
            guard try reader.next(UInt32.self) == expected else { throw .unknownFormat(file: path) }
            return (time, secret)
        }
    }
}
