/// How a ``Throng`` is doing, in numbers.
public struct ThrongStatus: Sendable, Hashable {
    /// Events that wait in the queue, or for a plan.
    public let waiting: Int
    /// Events in batches that wait for an answer.
    public let unanswered: Int
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
