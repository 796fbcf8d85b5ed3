// How far PostgreSQL may have been given the journal: `offered`. Numbers are little-endian.
//
//     offset  size  what
//     0       8     "THRONGO1"
//     8       16    the daemon's name: of another one's the mark says nothing
//     24      8     position
//     32      4     CRC-32C of everything before
//
// Put in place as a whole the first time and then written over: some bytes of one sector, which take no space of a disk that
// is full (but for file systems that never write over anything: there flushes wait for space).

internal import Foundation
internal import Synchronization
package import ThrongCounting

/// A bound of PostgreSQL's watermark that is known without PostgreSQL: nothing beyond it was ever offered.
///
/// It is raised on disk before a flush is sent, and a flush holds only what the journal had synced. So a journal that ends
/// before it has lost records, and only PostgreSQL knows which positions may still be handed out.
package final class OfferedMark: Sendable {
    private enum Found {
        /// No flush yet, or none by this daemon and a version that keeps the mark.
        case nothing
        case damaged
        case position(JournalPosition)
    }

    private let path: String
    private let disk: any Disk
    private let daemon: [UInt8]
    private let kept: JournalPosition
    private let found: Mutex<Found>

    private static let magic = Array("THRONGO1".utf8)
    private static let size = 36

    /// Reads the mark of a data directory.
    ///
    /// - Parameter kept: where the last kept flush leads to; it was offered too.
    package init(_ data: DataDirectory, kept: JournalPosition?) throws(JournalError) {
        path = data.offeredPath
        disk = data.disk
        self.kept = kept ?? .start
        daemon = withUnsafeBytes(of: data.daemon.uuid) { Array($0) }
        found = Mutex(try Self.read(path, daemon, on: disk))
    }

    /// Whether a journal that ends at a position can go on from there while PostgreSQL's watermark is unknown.
    ///
    /// - Parameter isTorn: whether bytes that are no record were found in it. Without a mark that decides.
    package func covers(_ last: JournalPosition, isTorn: Bool) -> Bool {
        guard kept <= last else { return false }
        return found.withLock { found in
            switch found {
            case .nothing: !isTorn
            case .damaged: false
            case .position(let offered): offered <= last
            }
        }
    }

    /// Returns once it is on disk that PostgreSQL may have everything up to a position. Blocks.
    package func raise(to position: JournalPosition) throws(JournalError) {
        try found.withLock { found throws(JournalError) in
            if case .position(let offered) = found, offered >= position { return }
            // Another process may have taken this one's place and have come further.
            let now = try Self.read(path, daemon, on: disk)
            switch now {
            case .position(let offered) where offered >= position:
                found = now
                return
            case .position:
                let file = try File(path, flags: O_WRONLY, on: disk)
                try file.write(bytes(of: position))
                try file.sync()
            case .nothing, .damaged:
                try disk.replace(path, with: bytes(of: position))
            }
            found = .position(position)
        }
    }

    private static func read(_ path: String, _ daemon: [UInt8], on disk: any Disk) throws(JournalError) -> Found {
        guard disk.exists(path) else { return .nothing }
        let bytes = try disk.contents(path)
        guard bytes.count == size, bytes.starts(with: magic) else { return .damaged }
        return try bytes.reading { buffer throws(JournalError) in
            var reader = ByteReader(buffer)
            _ = try reader.nextBytes(8)
            let isOurs = Array(try reader.nextBytes(16)) == daemon
            let position = JournalPosition(try reader.next())
            let expected = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<reader.offset]))
            guard try reader.next(UInt32.self) == expected else { return .damaged }
            return isOurs ? .position(position) : .nothing
        }
    }

    private func bytes(of position: JournalPosition) -> [UInt8] {
        var writer = ByteWriter(bytes: Self.magic + daemon)
        writer.add(position.value)
        writer.add(CRC32C.checksum(writer.bytes))
        return writer.bytes
    }
}
