/// What the daemon says of a batch once its deltas are on disk.
public struct BatchAnswer: Sendable, Hashable, Codable {
    /// Events that changed a counter.
    public let accepted: Int
    /// Events that did not, in their order.
    public let refused: [Refusal]
    /// Hashes of this batch whose values enough devices have sent; nil where there are none. Not part of what a repeated
    /// batch is told again.
    public let reveal: [RevealRequest]?
    /// How many more events changed no counter, of which the daemon does not know any more which and why; nil for none. Only
    /// a repeated batch is told so, where too much was refused meanwhile to remember all of it.
    public let unlisted: Int?

    /// One event that changed no counter.
    public struct Refusal: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// Why.
        public let reason: RefusalReason
        /// Where; nil where the whole event is the reason, and for all but a batch's first few.
        public let detail: RefusalDetail?

        /// Puts a refusal together.
        public init(index: Int, reason: RefusalReason, detail: RefusalDetail? = nil) {
            self.index = index
            self.reason = reason
            self.detail = detail
        }
    }

    /// Puts an answer together.
    public init(accepted: Int, refused: [Refusal], reveal: [RevealRequest]? = nil, unlisted: Int? = nil) {
        self.accepted = accepted
        self.refused = refused
        self.reveal = reveal
        self.unlisted = unlisted
    }
}

/// What would be counted of a batch: the answer to `POST /v1/preview`, which counts nothing and keeps nothing.
public struct PreviewAnswer: Sendable, Hashable, Codable {
    /// The batch's events, in their order.
    public let events: [Event]

    /// What would become of one event.
    public struct Event: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// What it would add, one entry a metric; empty where it is refused.
        public let counted: [Tuple]
        /// Why it would change no counter; nil where it would.
        public let refused: RefusalReason?
        /// Where that is; nil where the whole event is the reason, and for all but a batch's first few.
        public let detail: RefusalDetail?

        /// Puts an event's part together.
        public init(index: Int, counted: [Tuple], refused: RefusalReason?, detail: RefusalDetail? = nil) {
            self.index = index
            self.counted = counted
            self.refused = refused
            self.detail = detail
        }
    }

    /// All that would remain of an event in one metric.
    public struct Tuple: Sendable, Hashable, Codable {
        /// The metric's name in the plan.
        public let metric: String
        /// By name of a dimension: the bucket.
        public let buckets: [String: String]
        /// The hour, day, week or month that it would be counted in: `2026-11-21`.
        public let period: String
        /// How often, within the contribution bound.
        public let count: Int64
        /// By name of a sum: what would be added. Unit: the field's.
        public let sums: [String: Double]

        /// Puts a tuple together.
        public init(metric: String, buckets: [String: String], period: String, count: Int64, sums: [String: Double]) {
            self.metric = metric
            self.buckets = buckets
            self.period = period
            self.count = count
            self.sums = sums
        }
    }

    /// Puts an answer together.
    public init(events: [Event]) { self.events = events }
}
