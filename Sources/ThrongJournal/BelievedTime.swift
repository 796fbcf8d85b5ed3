// The latest time that a daemon believed, `believed`: a KeptFile whose content is Unix seconds, i64, little-endian.

internal import Synchronization
package import ThrongPlan
internal import ThrongSystem

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
