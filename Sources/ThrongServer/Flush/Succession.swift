internal import Synchronization
internal import ThrongIngest
internal import ThrongStore
internal import ThrongSystem

/// A process on its way to a place in PostgreSQL that another one may still hold.
///
/// The holder of the place acknowledges by a ``Lease``, which counts from before PostgreSQL said that nobody waits. So
/// it acknowledges nothing later than ``Lease/length`` after the announcement. The newcomer announces itself and waits
/// for longer than that. The difference covers the moment between the look at the lease and the answer to the client,
/// and gives the holder time to hear of the announcement.
///
/// A holder that has heard of it says so again and again, which makes the newcomer wait anew. It takes no more, flushes
/// what it has acknowledged, and gives its place back. Nobody waits for one that did, or is gone.
final class Succession: Sendable {
    /// The wait before the place is taken from a holder that was not heard, from the announcement or the last sign of
    /// life after it. If PostgreSQL is slow, the holder needs more: ``answersToHear`` answers are waited for, too.
    static let wait = Duration.seconds(20)

    /// The answers of PostgreSQL that the wait allows for: enough to reconnect and ask, twice.
    static let answersToHear = 10

    /// The wait for a holder that has heard, has something to flush, and stands still or can't reach PostgreSQL.
    static let longWait = Duration.seconds(60)

    /// The most that the time between two answers of PostgreSQL adds to the wait.
    static let longestStep = Duration.seconds(3)

    /// The longest answer of PostgreSQL that counts. After a longer one the wait begins anew: the holder may take
    /// PostgreSQL to be away, and does not hear.
    static let longestAnswer = Duration.seconds(3)

    private struct Announcement {
        let fence: Int64
        /// The position up to which the holder has flushed.
        var position: JournalPosition
        var isHeard = false
        var waited = Duration.zero
        /// The longest time that PostgreSQL took to answer meanwhile.
        var slowest = Duration.zero
        /// The time of PostgreSQL's last answer. Unit: see ``Machine/elapsed()``.
        var last: Duration
    }

    private let announced = Mutex<Announcement?>(nil)

    /// The fence under which this process has announced itself; nil if it has not.
    var fence: Int64? { announced.withLock { $0?.fence } }

    /// Returns true if no holder of the place can acknowledge anything any more. The same lock proves that the earlier holder is gone.
    static func isVacant(_ known: Watermark, holder: String?) -> Bool {
        known.holder == nil || known.holder == holder || Fault.takeWithoutLease.isOn
    }

    /// Forgets the announcement, as the place was taken.
    func end() { announced.withLock { $0 = nil } }

    /// Begins the wait anew, as PostgreSQL did not answer, or the holder was heard of.
    func interrupt() {
        announced.withLock { announced in
            announced?.waited = .zero
            announced?.slowest = .zero
        }
    }

    /// Notes an announcement over what PostgreSQL knew before, which can't be made while the holder flushes; returns
    /// true once this process has waited for long enough. The time of the answer is ``Machine/elapsed()``.
    func announce(_ fence: Int64, over known: Watermark, isMade: Bool, answer: Duration, now: Duration) -> Bool {
        announced.withLock { announced in
            guard var mine = announced, mine.fence == fence else {
                announced = Announcement(fence: fence, position: known.position, last: now)
                return false
            }
            defer { announced = mine }
            let isHeard = known.claim == -fence
            let isQuiet = isMade && known.claim == fence && known.position == mine.position
            if isQuiet, answer <= Self.longestAnswer {
                mine.waited += min(now - mine.last, Self.longestStep)
                mine.slowest = max(mine.slowest, answer)
            } else {
                (mine.waited, mine.slowest) = (.zero, .zero)
            }
            (mine.position, mine.last, mine.isHeard) = (known.position, now, mine.isHeard || isHeard)
            return mine.waited >= (mine.isHeard ? Self.longWait : Self.wait) + mine.slowest * Self.answersToHear
        }
    }
}
