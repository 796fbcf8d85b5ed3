// The bound on what PostgreSQL may have been given of the journal, `offered`: a KeptFile whose content is a position,
// eight bytes, little-endian. A mark of another daemon counts as missing.
//
// The file is put in place as a whole the first time and then overwritten: some bytes of one sector, which take no
// space on a full disk. Only file systems that never overwrite need space for it: there flushes wait for space.

internal import Foundation
internal import Synchronization
package import ThrongIngest
internal import ThrongSystem

/// A bound on PostgreSQL's watermark that is known without PostgreSQL: nothing beyond it was ever offered.
///
/// It is raised on disk before a flush is sent, and a flush holds only what the journal had synced. So a journal that
/// ends before it has lost records, and only PostgreSQL knows which positions may still be used.
package final class OfferedMark: Sendable {
    private enum Found {
        /// No flush was offered yet, or none by this daemon and a version that keeps the mark.
        case nothing
        case damaged
        case position(JournalPosition)
    }

    private let data: DataDirectory
    private let kept: JournalPosition
    private let found: Mutex<Found>

    /// Reads the mark of a data directory.
    ///
    /// - Parameter kept: the watermark that the last kept flush leaves; it was offered too.
    package init(_ data: DataDirectory, kept: JournalPosition?) throws(JournalError) {
        self.data = data
        self.kept = kept ?? .start
        found = Mutex(try Self.read(data))
    }

    /// True if a journal that ends at a position can continue from there while PostgreSQL's watermark is unknown.
    ///
    /// - Parameter isTorn: true if the journal has bytes that are not a record. Without a mark that decides.
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

    /// Raises the mark to a position and waits until that is on disk. Blocks.
    package func raise(to position: JournalPosition) throws(JournalError) {
        try found.withLock { found throws(JournalError) in
            if case .position(let offered) = found, offered >= position { return }
            // Another process may have taken this one's place and raised the mark further.
            let now = try Self.read(data)
            switch now {
            case .position(let offered) where offered >= position:
                found = now
                return
            case .position: try data.disk.blank(data.offeredPath, with: bytes(of: position))
            case .nothing, .damaged: try data.disk.replace(data.offeredPath, with: bytes(of: position))
            }
            found = .position(position)
        }
    }

    private static func read(_ data: DataDirectory) throws(JournalError) -> Found {
        let path = data.offeredPath
        guard data.disk.exists(path) else { return .nothing }
        do throws(JournalError) {
            let content = try data.disk.kept(at: path, as: .offeredMark, of: data.daemon)
            return .position(
                try data.disk.reading(content, of: path, as: .offeredMark) { reader throws(JournalError) in
                    JournalPosition(try reader.next())
                })
        } catch {
            guard case .damagedFile(let damage) = error else { throw error }
            switch damage.flaw {
            case .otherDaemon: return .nothing
            case .newer: throw error
            // A missing mark would mean that nothing was offered: a damaged file stays until a flush rewrites it.
            case .directory: try data.setAside(damage)
            default: data.tell(damage)
            }
            return .damaged
        }
    }

    private func bytes(of position: JournalPosition) -> [UInt8] {
        KeptFile.bytes(ByteWriter.bytes(of: position.value), as: .offeredMark, of: data.daemon)
    }
}
