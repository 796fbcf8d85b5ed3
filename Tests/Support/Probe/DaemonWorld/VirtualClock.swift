import Foundation
import Synchronization
import ThrongPlan

/// The time in a simulated world: what it truly is, and what the daemon's machine takes it for.
final class VirtualClock: Sendable {
    private struct Times {
        var truth: Duration
        /// The machine's error. Unit: seconds.
        var error: Int64 = 0
        /// Since the world began; goes on while processes are frozen, and slower than the truth while nothing happens.
        var elapsed: Duration = .zero
    }

    private let times: Mutex<Times>

    init(start: UnixSeconds) { times = Mutex(Times(truth: .seconds(start.value))) }

    var truth: UnixSeconds { times.withLock { UnixSeconds($0.truth.components.seconds) } }
    /// What the machine shows.
    var shown: UnixSeconds { times.withLock { UnixSeconds($0.truth.components.seconds + $0.error) } }
    /// The machine's error. Unit: seconds.
    var error: Int64 { times.withLock { $0.error } }
    /// What one of the machine's clocks shows.
    func time(_ clock: clockid_t) -> Duration {
        times.withLock { clock == CLOCK_REALTIME ? $0.truth + .seconds($0.error) : $0.elapsed }
    }

    /// What no step changes.
    var elapsed: Duration { times.withLock { $0.elapsed } }

    /// Lets time pass.
    ///
    /// - Parameter noticed: how much of it a clock that never goes back shows: processes beat at least as often.
    func pass(_ length: Duration, noticed: Duration) {
        times.withLock { times in
            times.truth += length
            times.elapsed += noticed
        }
    }

    /// Sets the machine's clock wrong by so much, or right. Unit: seconds.
    func set(error: Int64) { times.withLock { $0.error = error } }
}
