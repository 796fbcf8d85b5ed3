package import ThrongPlan

/// The right to try one delivery, once.
package struct DeliveryClaim: Sendable, Hashable {
    package let run: ReportRunName
    /// The target: see ``Delivery/target``.
    package let target: String
    /// The name of the operator's secret that goes with it.
    package let authorization: String?
    /// The key that is the same for every try: 32 bytes.
    package let idempotencyKey: [UInt8]
    /// The number of the try; a later one takes the right away. Unit: tries, from 1.
    package let attempt: Int
}

package struct ReportDelivery: Sendable, Hashable {
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

    /// The target: see ``Delivery/target``.
    package let target: String
    package let state: State
    package let attempts: Int
    /// The earliest time of the next try.
    package let nextAt: UnixSeconds
    package let lastError: String?
    /// The time it was over; nil while it is pending.
    package let finishedAt: UnixSeconds?
    /// The key that is the same for every try: 32 bytes.
    package let idempotencyKey: [UInt8]
    package let files: Int
}
