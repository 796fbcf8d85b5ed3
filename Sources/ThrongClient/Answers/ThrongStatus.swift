/// How a ``Throng`` is doing, in numbers.
public struct ThrongStatus: Sendable, Hashable {
    /// Events that wait in the queue.
    public let waiting: Int
    /// Events in batches that wait for an answer.
    public let unanswered: Int
    /// Events that were not sent or not counted since the library first started, by reason.
    public let dropped: [DropReason: Int]
    /// Whether everything that was recorded is on disk.
    public let isSaved: Bool
    /// The SHA-256 of the plan that is followed.
    public let planVersion: String
}
