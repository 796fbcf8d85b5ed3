/// How a ``Throng`` is doing, in numbers.
public struct ThrongStatus: Sendable, Hashable {
    /// Events that wait in the queue, or for a plan.
    public let waiting: Int
    /// Events in batches that wait for an answer.
    public let unanswered: Int
    /// Withdrawals of which the daemon does not know yet, or that it refused in a window that is open.
    public let withdrawing: Int
    /// Events that were not sent or not counted since the library first started, by reason.
    public let dropped: [DropReason: Int]
    /// Whether everything that was recorded is on disk.
    public let isSaved: Bool
    /// Whether what the person said about purposes is known and on disk. Where it was lost, all of them count as refused
    /// until it is said anew.
    public let isConsentKept: Bool
    /// The SHA-256 of the plan that is followed; nil as long as there is none.
    public let planVersion: String?
    /// Why the daemon's plan could not be had when it was asked for last.
    public let planProblem: ThrongError?
}

/// What ``Throng/flush()`` came to.
public struct FlushResult: Sendable, Hashable {
    /// Events that the daemon counted.
    public var counted = 0
    /// Events that the daemon refused; ``Throng/sent`` has the reasons.
    public var refused = 0
    /// Events that still wait, for an answer or for the next window of their purpose.
    public var waiting = 0
    /// Withdrawals of which the daemon does not know yet, or that it refused in a window that is open.
    public var withdrawing = 0
    /// What kept some of them waiting, if anything did.
    public var problem: Problem?

    /// Nothing was sent and nothing waits.
    public init() {}

    /// Why events wait.
    public enum Problem: Sendable, Hashable {
        /// The daemon could not be reached, or gave no answer of its own.
        case unreachable
        /// There is no plan, without which nothing can be sent.
        case noPlan(ThrongError)
        /// The daemon asked to come again later. Unit: seconds from now.
        case busy(seconds: Int64)
        /// The daemon refused a whole batch, which is not sent again: an HTTP status, and its word for the reason.
        case rejected(status: Int, error: String)
        /// What is to be sent could not be written down first, without which a crash could count it twice.
        case storage
    }
}
