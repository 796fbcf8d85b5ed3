internal import Synchronization
internal import ThrongCounting
internal import ThrongFaults
internal import ThrongStore

/// A process on its way to a place in PostgreSQL that another one may still hold.
///
/// The holder of the place acknowledges by a ``Lease``, which counts from before PostgreSQL said that nobody waits: so no later than
/// ``Lease/length`` after the announcement stood. Whoever comes announces itself and waits for longer, by so much that a
/// moment may pass between looking at the lease and the client's being told, and that the holder may hear of it on the way.
/// A holder that has heard of it says so again and again, which makes the other wait anew; takes no more, flushes what it has acknowledged, and
/// gives its place back. For a process that has done so, or is certainly gone, nobody waits.
final class Succession: Sendable {
    /// From the announcement, or the last sign of life that was seen after it, until the place is taken from one that was not heard.
    /// Where PostgreSQL takes its time the other one needs more: ``answersToHear`` answers are waited for, too.
    static let wait = Duration.seconds(20)

    /// Until a connection has come about that had broken, and the question on it is answered; twice.
    static let answersToHear = 10

    /// The same from one that has heard, has something to flush, and stands still, or has lost its way to PostgreSQL.
    static let longWait = Duration.seconds(60)

    /// No more of the wait than this lies between two answers of PostgreSQL.
    static let longestStep = Duration.seconds(3)

    /// Where PostgreSQL takes longer to answer than this the other one may take it to be away, and does not hear: the wait begins anew.
    static let longestAnswer = Duration.seconds(3)

    private struct Announcement {
        let fence: Int64
        /// How far the other one has flushed.
        var position: JournalPosition
        var isHeard = false
        var waited = Duration.zero
        /// The longest that PostgreSQL took to answer meanwhile.
        var slowest = Duration.zero
        /// When PostgreSQL answered last. Unit: see ``Machine/elapsed()``.
        var last: Duration
    }

    private let announced = Mutex<Announcement?>(nil)

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

    /// PostgreSQL did not answer, or the other one was heard of: the wait begins anew.
    func interrupt() {
        announced.withLock { announced in
            announced?.waited = .zero
            announced?.slowest = .zero
        }
    }

    /// Learns how an announcement stands; true once this process has waited for long enough.
    ///
    /// - Parameters:
    ///   - known: what PostgreSQL said before it was made, or made again.
    ///   - isMade: whether it could be made: not while the other one flushes.
    ///   - answer: how long PostgreSQL took to say so.
    ///   - now: when it did. Unit: see ``Machine/elapsed()``.
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
