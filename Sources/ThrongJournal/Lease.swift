internal import Synchronization
internal import ThrongFaults

/// Until when this process may acknowledge: another one may take its place meanwhile, on a copy of its data directory.
///
/// It is renewed by asking PostgreSQL, and counts from before it was asked, by a clock that goes on while this process stands
/// still. So nobody has to notice that it stood still: however often it did, and however late the answer came, what is left is
/// left. Who takes the place waits for longer than this after it was announced.
package final class Lease: Sendable {
    /// From before PostgreSQL was asked.
    package static let length = Duration.seconds(8)

    private let machine: Machine
    /// By ``Machine/elapsed()``. Unit: nanoseconds.
    private let end = Atomic<Int64>(0)

    /// One that has run out.
    package init(of machine: Machine) { self.machine = machine }

    /// Whether it has not run out.
    package var isValid: Bool {
        machine.elapsed() < .nanoseconds(end.load(ordering: .sequentiallyConsistent)) || Fault.outliveLease.isOn
    }

    /// Nobody had announced to take the place by then, or nobody can until then.
    package func renew(from asked: Duration) {
        end.max(Int64((asked + Self.length) / .nanoseconds(1)), ordering: .sequentiallyConsistent)
    }
}
