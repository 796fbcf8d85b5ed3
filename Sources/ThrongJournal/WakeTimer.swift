internal import Foundation
internal import ThrongSystem

/// Wakes a waiting thread, now or on its next wait; several rings before that count as one.
///
/// It is not a `DispatchSemaphore`, whose deadlines are times of day on Linux: setting the clock back would extend a
/// wait by as much. Here time is the system's monotonic clock.
///
/// Unchecked: the C library's mutex and condition don't move, and all shared state is used under that mutex.
final class WakeTimer: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let clock = Fault.waitByTimeOfDay.isOn ? CLOCK_REALTIME : CLOCK_MONOTONIC
    private let machine: Machine
    private var hasRung = false
    /// The end of a wait without threads.
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

    /// Wakes the waiting thread, or lets the next wait return at once.
    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Returns once the bell has rung, or after this time. Without threads it returns at once, and its owner asks ``isOver()``.
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

    /// True if the wait is over, for an owner without threads.
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
