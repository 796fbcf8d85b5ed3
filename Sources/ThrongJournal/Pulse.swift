internal import Foundation
internal import Synchronization

/// Notices that this process stood still: another may have taken its place meanwhile, on a copy of its data directory.
///
/// A thread of its own beats a few times a second. Whoever finds the last beat too long ago, or finds that one was, is in
/// doubt until ``settle(_:)`` says that somebody has asked.
final class Pulse: Sendable {
    /// No beat for so long, and the process stood still. Unit: nanoseconds.
    private static let limit: UInt64 = 3_000_000_000
    private static let microsecondsBetweenBeats: UInt32 = 200_000

    private let last: Atomic<UInt64>
    /// How often the process has stood still.
    private let stops = Atomic<UInt64>(0)
    private let settled = Atomic<UInt64>(0)
    private let isOver = Atomic<Bool>(false)

    init() {
        last = Atomic(Self.now)
        let thread = Thread { [self] in
            while !isOver.load(ordering: .relaxed) {
                usleep(Self.microsecondsBetweenBeats)
                let now = Self.now
                if now - last.load(ordering: .relaxed) > Self.limit { stops.add(1, ordering: .sequentiallyConsistent) }
                last.store(now, ordering: .sequentiallyConsistent)
            }
        }
        thread.name = "throng-pulse"
        thread.start()
    }

    /// Ends the thread.
    func stop() { isOver.store(true, ordering: .relaxed) }

    /// Whether nobody can have taken this process's place unnoticed.
    var isSteady: Bool {
        // The beat before the clock, and what beats have found last, so that none hides it.
        let beat = last.load(ordering: .sequentiallyConsistent)
        return Self.isRecent(beat, at: Self.now)
            && stops.load(ordering: .sequentiallyConsistent) == settled.load(ordering: .sequentiallyConsistent)
    }

    /// Whether a beat is no longer ago than the limit. Another thread may have made it after this one looked at the clock.
    static func isRecent(_ beat: UInt64, at now: UInt64) -> Bool { now <= beat || now - beat <= limit }

    /// How often the process has stood still so far; for ``settle(_:)``.
    var doubts: UInt64 { stops.load(ordering: .sequentiallyConsistent) }

    /// Learns that after so many doubts PostgreSQL was asked.
    func settle(_ doubts: UInt64) { settled.store(doubts, ordering: .sequentiallyConsistent) }

    /// The time since the system started, sleep included. Unit: nanoseconds.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
