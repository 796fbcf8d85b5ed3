internal import Synchronization

/// What deliveries count about themselves, for whoever watches over the daemon.
package final class DeliveryHealth: Sendable {
    package struct Counts: Sendable {
        package var deliveries = 0
        package var failures = 0
    }

    private let counts = Mutex(Counts())

    package init() {}

    /// All of it, as of now.
    package var snapshot: Counts { counts.withLock { $0 } }

    func delivered() { counts.withLock { $0.deliveries += 1 } }
    func failed() { counts.withLock { $0.failures += 1 } }
}
