internal import Foundation
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
