internal import Synchronization
internal import ThrongFaults
internal import ThrongJournal
internal import ThrongStore

/// A process on its way to a place in PostgreSQL that another one may still hold.
///
/// Who holds the place goes on acknowledging until it knows better. It looks every second (``FenceWatch``); it may have stood
/// still for less than its journal notices; PostgreSQL may take seconds to answer. All of that is shorter than ``lease``. So
/// whoever comes announces itself, waits that long, and only then reads how far the place was flushed. Who has heard of it
/// says so, which makes the other wait anew; takes no more, flushes what it has acknowledged, and gives its place back. For
/// a process that has done so, or is certainly gone, nobody waits.
final class Succession: Sendable {
    /// From the announcement, or the last flush that was seen after it, until the place is taken. One look and its answer,
    /// three seconds of standing still, the beginning of a flush; and to spare.
    static let lease = Duration.seconds(10)

    /// No more of the wait than this lies between two answers of PostgreSQL: while it was away, the other one could not hear
    /// either.
    static let longestStep = Duration.seconds(3)

    private let announced = Mutex<(fence: Int64, waited: Duration, last: Duration)?>(nil)

    /// The fence under which this process has announced itself; nil where it has not.
    var fence: Int64? { announced.withLock { $0?.fence } }

    /// Whether nobody who holds the place can acknowledge anything any more.
    ///
    /// - Parameters:
    ///   - known: what PostgreSQL says of the place.
    ///   - holder: this process's lock: the same one proves that the earlier holder is gone.
    static func isVacant(_ known: Watermark, holder: String?) -> Bool {
        known.holder == nil || known.holder == holder || Fault.takeWithoutLease.isOn
    }

    /// The place was taken: another time is another announcement.
    func end() { announced.withLock { $0 = nil } }

    /// Learns that the announcement stands in PostgreSQL, or that it could not be made because the other one flushes; true
    /// once this process has waited for long enough.
    ///
    /// - Parameter now: see ``Machine/elapsed()``.
    func announce(_ fence: Int64, stands: Bool, now: Duration) -> Bool {
        announced.withLock { announced in
            guard stands, let before = announced, before.fence == fence else {
                announced = (fence, .zero, now)
                return false
            }
            let waited = before.waited + min(now - before.last, Self.longestStep)
            announced = (fence, waited, now)
            return waited >= Self.lease
        }
    }
}
