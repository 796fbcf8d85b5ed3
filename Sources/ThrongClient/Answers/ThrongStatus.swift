/// The state of a ``Throng``, in numbers.
public struct ThrongStatus: Sendable, Hashable {
    /// Events that wait in the queue, or for a plan.
    public let waiting: Int
    /// Events in batches that wait for an answer.
    public let unanswered: Int
    /// Withdrawals that the daemon does not know of yet, or that it refused in a window that is open.
    public let withdrawing: Int
    /// Events that were not sent or not counted since the library first started, by reason.
    public let dropped: [DropReason: Int]
    /// True if everything that was recorded is on disk.
    public let isSaved: Bool
    /// True if the person's answers about purposes are known and on disk. If they were lost, all purposes count as
    /// refused until the person answers anew.
    public let isConsentKept: Bool
    /// The SHA-256 of the plan that is followed; nil as long as there is none.
    public let planVersion: String?
    /// The reason why the last request for the daemon's plan failed; nil if it did not.
    public let planProblem: ThrongError?
}

/// The result of ``Throng/flush()``.
public struct FlushResult: Sendable, Hashable {
    /// Events that the daemon counted.
    public var counted = 0
    /// Events of a test that the plan takes; the daemon counted nothing of them.
    public var tested = 0
    /// Events that the daemon refused; ``Throng/sent`` has the reasons.
    public var refused = 0
    /// Events that still wait, for an answer or for the next window of their purpose.
    public var waiting = 0
    /// Withdrawals that the daemon does not know of yet, or that it refused in a window that is open.
    public var withdrawing = 0
    /// The reason why some of them wait, if there is one.
    public var problem: Problem?

    /// Nothing was sent and nothing waits.
    public init() {}

    /// A reason why events wait.
    public enum Problem: Sendable, Hashable {
        /// The daemon could not be reached, or gave no answer of its own.
        case unreachable
        /// There is no plan, without which nothing can be sent.
        case noPlan(ThrongError)
        /// The daemon asked to come again later. Unit: seconds from now.
        case busy(seconds: Int64)
        /// The daemon refused a whole batch, which is not sent again: an HTTP status, and its word for the reason.
        case rejected(status: Int, error: String)
        /// The storage could not note what is to be sent; unless it is noted first, a crash could count it twice.
        case storage
    }
}
