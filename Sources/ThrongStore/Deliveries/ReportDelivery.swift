package import ThrongPlan

/// The right to try one delivery, once.
package struct DeliveryClaim: Sendable, Hashable {
    /// Of which run.
    package let run: ReportRunName
    /// Where: see ``Delivery/target``.
    package let target: String
    /// Which secret of the operator goes with it.
    package let authorization: String?
    /// The same for every try: 32 bytes.
    package let idempotencyKey: [UInt8]
    /// Which try; a later one takes the right away. Unit: tries, from 1.
    package let attempt: Int
}

/// How a delivery stands.
package struct ReportDelivery: Sendable, Hashable {
    /// Whether it is over.
    package enum State: String, Sendable, Hashable {
        /// It is to be tried, or is being tried.
        case pending
        /// Everything arrived.
        case sent
        /// It was given up.
        case failed
        /// Age took it from its folder.
        case removed
    }

    /// Where: see ``Delivery/target``.
    package let target: String
    /// Whether it is over.
    package let state: State
    /// Tries that were begun.
    package let attempts: Int
    /// Not tried before.
    package let nextAt: UnixSeconds
    /// Why the last try failed.
    package let lastError: String?
    /// When it was over; nil while it is pending.
    package let finishedAt: UnixSeconds?
    /// The same for every try: 32 bytes.
    package let idempotencyKey: [UInt8]
    /// Files that arrived.
    package let files: Int
}
