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
    private let machine: Machine

    init(of machine: Machine = .real) {
        self.machine = machine
        last = Atomic(machine.nanoseconds)
        guard machine.hasThreads else { return }
        let thread = Thread { [self] in
            while !isOver.load(ordering: .relaxed) {
                usleep(Self.microsecondsBetweenBeats)
                beat()
            }
        }
        thread.name = "throng-pulse"
        thread.start()
    }

    /// Says that the process runs. For the one thread that does so.
    func beat() {
        let now = machine.nanoseconds
        if now - last.load(ordering: .relaxed) > Self.limit { stops.add(1, ordering: .sequentiallyConsistent) }
        last.store(now, ordering: .sequentiallyConsistent)
    }

    /// Ends the thread.
    func stop() { isOver.store(true, ordering: .relaxed) }

    /// Whether nobody can have taken this process's place unnoticed.
    var isSteady: Bool {
        // The beat before the clock, and what beats have found last, so that none hides it.
        let beat = last.load(ordering: .sequentiallyConsistent)
        return Self.isRecent(beat, at: machine.nanoseconds)
            && stops.load(ordering: .sequentiallyConsistent) == settled.load(ordering: .sequentiallyConsistent)
    }

    /// Whether a beat is no longer ago than the limit. Another thread may have made it after this one looked at the clock.
    static func isRecent(_ beat: UInt64, at now: UInt64) -> Bool { now <= beat || now - beat <= limit }

    /// How often the process has stood still so far; for ``settle(_:)``.
    var doubts: UInt64 { stops.load(ordering: .sequentiallyConsistent) }

    /// Learns that after so many doubts PostgreSQL was asked.
    func settle(_ doubts: UInt64) { settled.store(doubts, ordering: .sequentiallyConsistent) }
}

extension Machine {
    /// Unit: nanoseconds.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = elapsed().components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
