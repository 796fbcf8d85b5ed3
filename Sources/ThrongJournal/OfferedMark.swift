internal import Synchronization
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

// The bound on what PostgreSQL may have been given of the journal, `offered`: a KeptFile whose content is a position,
// eight bytes, little-endian. A mark of another daemon counts as missing.
//
// The file is put in place as a whole the first time and then overwritten: some bytes of one sector, which take no
// space on a full disk. Only file systems that never overwrite need space for it: there flushes wait for space.

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

// The latest time that a daemon believed, `believed`: a KeptFile whose content is Unix seconds, i64, little-endian.

/// The latest time by which windows were checked, on disk: a clock that shows less was ahead then, or is behind now.
///
/// Windows that were closed then stay closed (`windows.closed`). Nothing else depends on this time, so a clock that
/// once was years ahead does not refuse everybody until then.
package final class BelievedTime: Sendable {
    private let path: String
    private let data: DataDirectory
    private let highest: Mutex<UnixSeconds?>

    /// The most that the mark on disk lags behind. Unit: seconds.
    private static let step: Int64 = 60
    /// The largest correction of a clock that is no surprise. Unit: seconds.
    package static let tolerance: Int64 = 3600

    /// Reads the mark of a data directory. A damaged mark counts as missing and is set aside.
    package init(_ data: DataDirectory) throws(JournalError) {
        let path = data.path + "/believed"
        (self.path, self.data) = (path, data)
        highest = Mutex(
            try data.spared(path, as: .believedTime) { content throws(JournalError) in
                try data.disk.reading(content, of: path, as: .believedTime) { reader throws(JournalError) in
                    UnixSeconds(try reader.next())
                }
            })
    }

    /// The latest time; nil before the first.
    package var latest: UnixSeconds? { highest.withLock { $0 } }

    /// Returns the time by which a clock is behind the latest one; nil if that is within ``tolerance``. Unit: seconds.
    package func lag(of now: UnixSeconds) -> Int64? {
        guard let latest, latest - now > Self.tolerance else { return nil }
        return latest - now
    }

    /// Returns the latest time that may have been believed, by a clock that shows `now`.
    package func bound(of now: UnixSeconds) -> UnixSeconds {
        guard let latest, latest > now else { return now }
        return latest + Self.step
    }

    /// Raises the mark on disk if the time is a minute later than it. Blocks.
    package func raise(to now: UnixSeconds) throws(JournalError) {
        try highest.withLock { highest throws(JournalError) in
            if let known = highest, now < known + Self.step { return }
            try data.disk.keep(ByteWriter.bytes(of: now.value), at: path, as: .believedTime, of: data.daemon)
            highest = now
        }
    }
}
