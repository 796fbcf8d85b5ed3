package import Foundation
internal import ThrongSystem

/// The surroundings of a data directory: a disk, clocks, a random source, and whether there are threads.
///
/// Everything that the journal does goes through here, so that one seed can replay one history of it.
package struct Machine: Sendable {
    package let disk: any Disk
    package let time: @Sendable (clockid_t) -> Duration
    /// A source of 64 random bits.
    package let random: @Sendable () -> UInt64
    /// True if work has threads of its own; if not, its owner calls ``Journal/turn()``, and replays block it.
    package let hasThreads: Bool

    package init(
        disk: any Disk, time: @escaping @Sendable (clockid_t) -> Duration,
        random: @escaping @Sendable () -> UInt64, hasThreads: Bool
    ) {
        (self.disk, self.time, self.random, self.hasThreads) = (disk, time, random, hasThreads)
    }

    /// Returns the time since some fixed moment: it never goes back, and goes on while the system sleeps.
    package func elapsed() -> Duration { time(CLOCK_BOOTTIME) }

    func name() -> UUID {
        var bytes = [random(), random()].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    package static let real = Machine(
        disk: SystemDisk.shared,
        time: { clock in
            var time = timespec()
            clock_gettime(clock, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }, random: { .random(in: .min ... .max) }, hasThreads: true)
}

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
        while !hasRung { guard pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT else { break } }
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
