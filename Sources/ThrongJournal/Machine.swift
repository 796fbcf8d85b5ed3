package import Foundation

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
        },
        random: { .random(in: .min ... .max) },
        hasThreads: true)
}
