/// A batch as it left the device, for people to look at.
public struct SentBatch: Sendable, Hashable, Codable, Identifiable {
    /// The batch's random name.
    public let id: String
    /// The purpose's name.
    public let purpose: String
    /// The purpose's explanation, in the person's language if the app translates it.
    public let explanation: String
    /// The time of the first attempt to send it. Unit: Unix seconds.
    public let unixSeconds: Int64
    /// The body of the request, byte for byte, before it was packed.
    public let body: String
    /// The outcome of the batch.
    public internal(set) var outcome: Outcome

    /// The outcome of a batch.
    public enum Outcome: Sendable, Hashable, Codable {
        /// No answer yet. It may have arrived.
        case unanswered
        /// It was counted, except for the refused events: the reason of each, by its place in the batch.
        case counted(events: Int, refused: [Int: String])
        /// The daemon took it for a test's and counted nothing: the events that the plan takes, and the reasons of the others.
        case tested(events: Int, refused: [Int: String])
        /// It was refused as a whole: the HTTP status and the daemon's word for the reason.
        case rejected(status: Int, error: String)
    }
}

/// A preview of what an event would be counted as. Asking for it records nothing.
public struct EventPreview: Sendable, Hashable {
    /// The tuple that each metric would count, in the plan's order.
    public let counted: [Tuple]
    /// The reason why nothing would be counted; nil if something would.
    public let refused: DropReason?

    /// The tuple that one metric would count.
    public struct Tuple: Sendable, Hashable {
        /// The metric's name.
        public let metric: String
        /// The question that it answers.
        public let question: String
        /// The purpose's name.
        public let purpose: String
        /// The purpose's explanation.
        public let explanation: String
        /// The bucket of each dimension, by the dimension's name.
        public let buckets: [String: String]
        /// The amount of each sum after clipping and rounding, by the sum's name.
        public let sums: [String: Double]
        /// The hour, day, week or month that it would be counted in: `2026-11-21`.
        public let period: String
        /// True if it counts once for an identifier, when its window is over, by how often or how far the device came.
        public let isOncePerWindow: Bool
        /// Share of events that are sent at all.
        public let sampling: Double
        /// True if the person's choices allow it now.
        public let isAllowed: Bool
    }
}
