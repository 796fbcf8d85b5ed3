// The latest time that a daemon believed, `believed`: a KeptFile whose content is Unix seconds, i64, little-endian.

internal import Synchronization
internal import ThrongFiles
package import ThrongPlan

/// The latest time by which this data directory's windows were looked at, on disk: a clock that shows less was ahead then, or
/// is behind now.
///
/// Windows that it closed stay closed (`windows.closed`); nothing else follows from it, so that a clock that was years ahead
/// once does not keep everybody away until then.
package final class BelievedTime: Sendable {
    private let path: String
    private let data: DataDirectory
    private let highest: Mutex<UnixSeconds?>

    /// It may lag behind by so much. Unit: seconds.
    private static let step: Int64 = 60
    /// A clock that is set right by less is no surprise. Unit: seconds.
    package static let tolerance: Int64 = 3600

    /// Reads the mark of a data directory. One that is damaged says nothing, and is set aside.
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
            var writer = ByteWriter()
            writer.add(now.value)
            try data.disk.keep(writer.bytes, at: path, as: .believedTime, of: data.daemon)
            highest = now
        }
    }
}
