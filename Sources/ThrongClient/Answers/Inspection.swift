public import ThrongWire

/// What the app told the daemon, what waits, and as what each event was counted: ready to be shown to whom it is about.
public struct Inspection: Sendable, Hashable, Codable {
    /// What people call the app.
    public let app: SpokenText
    /// What left the device, latest first.
    public let sent: [Sent]
    /// What waits to be sent.
    public let waiting: [Event]
    /// Events that wait for the first plan, without which nobody knows what becomes of them.
    public let unplanned: Int
    /// Withdrawals of which the daemon does not know yet.
    public let withdrawing: Int
    /// What was not sent or not counted since the library first started: by ``DropReason``, how many events.
    public let dropped: [String: Int]

    /// One request.
    public struct Sent: Sendable, Hashable, Codable, Identifiable {
        /// Its random name.
        public let id: String
        /// The purpose's name.
        public let purpose: String
        /// What the numbers are for, as it was when it was sent.
        public let explanation: String
        /// When it was sent first. Unit: Unix seconds.
        public let unixSeconds: Int64
        /// What became of it.
        public let outcome: SentBatch.Outcome
        /// What was in it; none where it takes something back.
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
        /// How often it happened.
        public let count: Int
        /// All that is left of its fields.
        public let fields: [String: String]
        /// What each metric counts; empty where the plan has it no more.
        public let counted: [Counted]
        /// Why the daemon did not count it; nil where it did, or has not said.
        public let refused: String?
    }

    /// The counters that one event adds to.
    public struct Counted: Sendable, Hashable, Codable {
        /// The metric's name.
        public let metric: String
        /// What people call it.
        public let title: SpokenText
        /// The hour, day, week or month: `2026-11-21`.
        public let period: String
        /// What it is counted under, in the plan's order.
        public let buckets: [Bucket]
    }

    /// One word of a counter's name.
    public struct Bucket: Sendable, Hashable, Codable {
        /// What people call the dimension.
        public let title: SpokenText
        /// The word.
        public let label: String
    }
}
