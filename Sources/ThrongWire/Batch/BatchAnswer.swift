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
