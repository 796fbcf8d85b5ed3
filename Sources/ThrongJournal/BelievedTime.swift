// The latest time that a daemon believed: `believed`. Numbers are little-endian.
//
//     offset  size  what
//     0       8     "THRONGT1"
//     8       8     Unix seconds, i64
//     16      4     CRC-32C of everything before

internal import Synchronization
package import ThrongPlan

/// The latest time by which this data directory's windows were looked at, on disk: a clock that shows less was ahead then, or
/// is behind now.
///
/// Windows that it closed stay closed (`windows.closed`); nothing else follows from it, so that a clock that was years ahead
/// once does not keep everybody away until then.
package final class BelievedTime: Sendable {
    private let path: String
    private let disk: any Disk
    private let highest: Mutex<UnixSeconds?>

    private static let magic = Array("THRONGT1".utf8)
    /// It may lag behind by so much. Unit: seconds.
    private static let step: Int64 = 60
    /// A clock that is set right by less is no surprise. Unit: seconds.
    package static let tolerance: Int64 = 3600

    /// Reads the mark of a data directory. One that is damaged says nothing.
    package init(_ data: DataDirectory) throws(JournalError) {
        path = data.path + "/believed"
        disk = data.disk
        var found: UnixSeconds?
        if disk.exists(path) {
            let bytes = try disk.contents(path)
            found = try bytes.reading { buffer throws(JournalError) in
                guard bytes.count == 20, bytes.starts(with: Self.magic) else { return nil }
                var reader = ByteReader(buffer)
                _ = try reader.nextBytes(8)
                let time = UnixSeconds(try reader.next())
                let isWhole = try reader.next(UInt32.self) == CRC32C.checksum(Array(bytes[..<16]))
                return isWhole ? time : nil
            }
        }
        highest = Mutex(found)
    }

    /// The latest; nil before the first.
    package var latest: UnixSeconds? { highest.withLock { $0 } }

    /// By how much a clock is behind the latest time; nil where it is not, or by no more than ``tolerance``. Unit: seconds.
    package func lag(of now: UnixSeconds) -> Int64? {
        guard let latest, latest - now > Self.tolerance else { return nil }
        return latest - now
    }

    /// The latest time that may have been believed, by a clock that shows this now.
    package func bound(of now: UnixSeconds) -> UnixSeconds {
        guard let latest, latest > now else { return now }
        return latest + Self.step
    }

    /// Notes a time, on disk, where it is a minute later than what is there. Blocks.
    package func raise(to now: UnixSeconds) throws(JournalError) {
        try highest.withLock { highest throws(JournalError) in
            if let known = highest, now < known + Self.step { return }
            var writer = ByteWriter(bytes: Self.magic)
            writer.add(now.value)
            writer.add(CRC32C.checksum(writer.bytes))
            try disk.replace(path, with: writer.bytes)
            highest = now
        }
    }
}
