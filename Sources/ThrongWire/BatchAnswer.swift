/// What the daemon says of a batch once its deltas are on disk.
public struct BatchAnswer: Sendable, Hashable, Codable {
    /// Events that changed a counter.
    public let accepted: Int
    /// Events that did not, in their order.
    public let refused: [Refusal]
    /// Hashes of this batch whose values enough devices have sent; nil where there are none. Not part of what a repeated
    /// batch is told again.
    public let reveal: [RevealRequest]?

    /// One event that changed no counter.
    public struct Refusal: Sendable, Hashable, Codable {
        /// The event's place in the batch, from 0.
        public let index: Int
        /// Why.
        public let reason: RefusalReason

        /// Puts a refusal together.
        public init(index: Int, reason: RefusalReason) {
            self.index = index
            self.reason = reason
        }
    }

    /// Puts an answer together.
    public init(accepted: Int, refused: [Refusal], reveal: [RevealRequest]? = nil) {
        self.accepted = accepted
        self.refused = refused
        self.reveal = reveal
    }
}
