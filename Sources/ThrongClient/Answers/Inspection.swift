public import ThrongWire

/// A record of what the app told the daemon, what waits, and how each event was counted; ready to be shown to the
/// person.
public struct Inspection: Sendable, Hashable, Codable {
    /// The app's title.
    public let app: SpokenText
    /// The requests that left the device, latest first.
    public let sent: [Sent]
    /// The events that wait to be sent.
    public let waiting: [Event]
    /// Events that wait for the first plan, without which nobody knows what becomes of them.
    public let unplanned: Int
    /// Withdrawals of which the daemon does not know yet.
    public let withdrawing: Int
    /// The number of events that were not sent or not counted since the library first started, by ``DropReason``.
    public let dropped: [String: Int]

    /// One request.
    public struct Sent: Sendable, Hashable, Codable, Identifiable {
        /// Its random name.
        public let id: String
        /// The purpose's name.
        public let purpose: String
        /// The purpose's explanation, as it was when this was sent.
        public let explanation: String
        /// The time of the first attempt to send it. Unit: Unix seconds.
        public let unixSeconds: Int64
        /// The outcome of the request.
        public let outcome: SentBatch.Outcome
        /// The events in it; none if it takes something back.
        public let events: [Event]
        /// The request's body, byte for byte.
        public let body: String
    }

    /// Events that are alike.
    public struct Event: Sendable, Hashable, Codable {
        /// Its name in the plan.
        public let event: String
        /// The purpose's name.
        public let purpose: String
        /// The number of times it happened.
        public let count: Int
        /// All that is left of its fields.
        public let fields: [String: String]
        /// The counters that each metric adds to; empty if the plan no longer has the event.
        public let counted: [Counted]
        /// The daemon's reason for not counting it; nil if it did, or has not said.
        public let refused: String?
    }

    /// The counters that one event adds to.
    public struct Counted: Sendable, Hashable, Codable {
        /// The metric's name.
        public let metric: String
        /// The metric's title.
        public let title: SpokenText
        /// The hour, day, week or month: `2026-11-21`.
        public let period: String
        /// The buckets that it is counted under, in the plan's order.
        public let buckets: [Bucket]
    }

    /// One word of a counter's name.
    public struct Bucket: Sendable, Hashable, Codable {
        /// The dimension's title.
        public let title: SpokenText
        /// The word.
        public let label: String
    }
}
