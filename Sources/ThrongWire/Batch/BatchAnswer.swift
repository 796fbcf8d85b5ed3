/// The daemon's answer to a batch, given once the batch's deltas are on disk.
public struct BatchAnswer: Sendable, Hashable, Codable {
    /// Events that changed a counter.
    public let accepted: Int
    /// Events that did not change a counter, in their order.
    public let refused: [Refusal]
    /// Hashes of this batch whose values enough devices have sent; nil if there are none. A repeated batch's answer leaves them out.
    public let reveal: [RevealRequest]?
    /// The number of further events that changed no counter, whose places and reasons the daemon no longer knows; nil
    /// for none. Only the answer to a repeated batch has it, when too many refusals came in between to remember them all.
    public let unlisted: Int?
    /// The number of events that the plan takes of a batch that said that it was a test's: they changed no counter. Nil for
    /// any other batch.
    public let test: Int?

    /// One event that changed no counter.
    public struct Refusal: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// The reason.
        public let reason: RefusalReason
        /// The reason's place; nil if the whole event is the reason, and for all but a batch's first few refusals.
        public let detail: RefusalDetail?

        /// Creates a refusal with the event's index, the reason and its place.
        public init(index: Int, reason: RefusalReason, detail: RefusalDetail? = nil) {
            (self.index, self.reason, self.detail) = (index, reason, detail)
        }
    }

    /// Creates an answer with the number of accepted events and what the daemon says of the others.
    public init(
        accepted: Int, refused: [Refusal], reveal: [RevealRequest]? = nil, unlisted: Int? = nil, test: Int? = nil
    ) {
        (self.accepted, self.refused, self.reveal) = (accepted, refused, reveal)
        (self.unlisted, self.test) = (unlisted, test)
    }
}

/// The answer to `POST /v1/preview`: what a batch would add. A preview counts nothing and keeps nothing.
public struct PreviewAnswer: Sendable, Hashable, Codable {
    /// The batch's events, in their order.
    public let events: [Event]

    /// The outcome that one event would have.
    public struct Event: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// The tuples that it would add, one for each metric; empty if it is refused.
        public let counted: [Tuple]
        /// The reason why it would change no counter; nil if it would change one.
        public let refused: RefusalReason?
        /// The reason's place; nil if the whole event is the reason, and for all but a batch's first few refusals.
        public let detail: RefusalDetail?

        /// Creates an event's outcome with its index, tuples and refusal.
        public init(index: Int, counted: [Tuple], refused: RefusalReason?, detail: RefusalDetail? = nil) {
            (self.index, self.counted, self.refused, self.detail) = (index, counted, refused, detail)
        }
    }

    /// All that would remain of an event in one metric.
    public struct Tuple: Sendable, Hashable, Codable {
        /// The metric's name in the plan.
        public let metric: String
        /// The buckets, by name of their dimension.
        public let buckets: [String: String]
        /// The hour, day, week or month that it would be counted in: `2026-11-21`.
        public let period: String
        /// The number of times that it would be counted, within the contribution bound.
        public let count: Int64
        /// The amounts that would be added, by name of the sum. Unit: the field's.
        public let sums: [String: Double]

        /// Creates a tuple with its metric, buckets, period, count and sums.
        public init(metric: String, buckets: [String: String], period: String, count: Int64, sums: [String: Double]) {
            (self.metric, self.buckets, self.period, self.count, self.sums) = (metric, buckets, period, count, sums)
        }
    }

    /// Creates an answer with the outcomes of a batch's events.
    public init(events: [Event]) { self.events = events }
}
