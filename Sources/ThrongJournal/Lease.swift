internal import Synchronization
internal import ThrongSystem

/// The right of this process to acknowledge, for a time: another may take its place, on a copy of its data directory.
///
/// The lease is renewed by asking PostgreSQL. It counts from before the question, by a clock that goes on while this
/// process is suspended. So no suspension has to be noticed: the rest of the lease is always right. A process that
/// takes the place first waits for longer than this after its announcement.
package final class Lease: Sendable {
    /// The length of the lease, from before PostgreSQL was asked.
    package static let length = Duration.seconds(8)

    private let machine: Machine
    /// The end of the lease, by ``Machine/elapsed()``. Unit: nanoseconds.
    private let end = Atomic<Int64>(0)

    /// Creates an expired lease.
    package init(of machine: Machine) { self.machine = machine }

    package var isValid: Bool {
        machine.elapsed() < .nanoseconds(end.load(ordering: .sequentiallyConsistent)) || Fault.outliveLease.isOn
    }

    /// Extends the lease from a time at which nobody had announced to take the place: nobody can before its new end.
    package func renew(from asked: Duration) {
        end.max(Int64((asked + Self.length) / .nanoseconds(1)), ordering: .sequentiallyConsistent)
    }
}
