internal import Foundation
internal import ThrongFaults

/// Wakes a thread that waits, now or the next time that it does; several rings before that are one.
///
/// Not a `DispatchSemaphore`: on Linux its deadlines are times of day, so that a clock that is set back draws a wait out by as
/// much. Here time is the system's monotonic clock.
///
/// Unchecked: the C library's mutex and condition don't move, and all that is shared is used under that mutex.
final class Bell: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let clock = Fault.waitByTimeOfDay.isOn ? CLOCK_REALTIME : CLOCK_MONOTONIC
    private let machine: Machine
    private var hasRung = false
    /// When a wait without threads ends.
    private var end: Duration?

    init(on machine: Machine = .real) {
        self.machine = machine
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, clock)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Wakes whoever waits, or lets the next wait return at once.
    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Returns once the bell has rung, after so long at the latest; at once where there are no threads, whose owner asks
    /// ``isOver()``.
    func wait(seconds: Int) {
        let end = machine.time(clock) + .seconds(seconds)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard machine.hasThreads else { return self.end = end }
        let (whole, attoseconds) = end.components
        var deadline = timespec(tv_sec: Int(whole), tv_nsec: Int(attoseconds / 1_000_000_000))
        while !hasRung {
            guard pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT else { break }
        }
        hasRung = false
    }

    /// Whether nobody waits any more, where there are no threads.
    func isOver() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard let end else { return true }
        guard hasRung || machine.time(clock) >= end else { return false }
        self.end = nil
        hasRung = false
        return true
    }
}
