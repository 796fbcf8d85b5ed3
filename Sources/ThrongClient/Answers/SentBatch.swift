/// A batch as it left the device, for people to look at.
public struct SentBatch: Sendable, Hashable, Codable, Identifiable {
    /// The batch's random name.
    public let id: String
    /// The purpose's name.
    public let purpose: String
    /// What the numbers are for, in the person's language where the app translates it.
    public let explanation: String
    /// When it was sent first. Unit: Unix seconds.
    public let unixSeconds: Int64
    /// The body of the request, byte for byte, before it was packed.
    public let body: String
    /// What became of it.
    public internal(set) var outcome: Outcome

    /// What became of a batch.
    public enum Outcome: Sendable, Hashable, Codable {
        /// No answer yet. It may have arrived.
        case unanswered
        /// It was counted, but for the refused events: by their place in the batch, why.
        case counted(events: Int, refused: [Int: String])
        /// It was refused as a whole: the HTTP status and the daemon's word for the reason.
        case rejected(status: Int, error: String)
    }
}

/// What an event would be counted as. Nothing is recorded by asking.
public struct EventPreview: Sendable, Hashable {
    /// What each metric would count, in the plan's order.
    public let counted: [Tuple]
    /// Why nothing would be counted, if so.
    public let refused: DropReason?

    /// The tuple that one metric would count.
    public struct Tuple: Sendable, Hashable {
        /// The metric's name.
        public let metric: String
        /// The question that it answers.
        public let question: String
        /// The purpose's name.
        public let purpose: String
        /// What the numbers are for.
        public let explanation: String
        /// By dimension, the bucket.
        public let buckets: [String: String]
        /// By sum, the amount after clipping and rounding.
        public let sums: [String: Double]
        /// The hour, day, week or month that it would be counted in: `2026-11-21`.
        public let period: String
        /// Whether it counts once for an identifier, when its window is over, by how often or how far the device came.
        public let isOncePerWindow: Bool
        /// Share of events that are sent at all.
        public let sampling: Double
        /// Whether the person's choices allow it now.
        public let isAllowed: Bool
    }
}
