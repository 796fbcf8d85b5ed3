internal import Foundation
internal import Synchronization

/// The space on the journal's disk, checked ahead so that nothing is taken that may not fit; a write waits for it.
///
/// A failed write is not a failed sync: it is known what was not written, and the rest can follow once there is space.
final class DiskSpace: Sendable {
    private let full = Atomic<Bool>(false)
    private let waiting = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let lookedAt = Mutex<Duration?>(nil)
    private let wake: WakeTimer
    private let path: String
    private let machine: Machine
    private let reserve: Int
    private let onChange: @Sendable (_ isFull: Bool) -> Void

    /// The time for which a look at the disk holds, and for which a write waits before it is tried again.
    static let pause = Duration.seconds(1)

    /// Creates the state with a first look at the disk. Below the reserve, in bytes, nothing more is taken.
    init(
        at path: String, of machine: Machine = .real, reserve: Int,
        onChange: @escaping @Sendable (_ isFull: Bool) -> Void
    ) {
        self.path = path
        self.machine = machine
        wake = WakeTimer(on: machine)
        self.reserve = reserve
        self.onChange = onChange
        look()
    }

    var isWaiting: Bool { waiting.load(ordering: .acquiring) }

    /// True if new records will fit, as of the last ``look()``.
    var hasRoom: Bool { !full.load(ordering: .relaxed) }

    /// Checks the disk, unless the last look still holds. The writer calls this, also once a ``pause`` without work, so
    /// that nobody who asks for room waits for a file system.
    func look() {
        let isDue = lookedAt.withLock { lookedAt in
            let now = machine.elapsed()
            guard lookedAt.map({ now - $0 >= Self.pause }) ?? true else { return false }
            lookedAt = now
            return true
        }
        if isDue { note(isFull: isWaiting || (free.map { $0 < reserve } ?? false)) }
    }

    private func note(isFull: Bool) {
        guard full.exchange(isFull, ordering: .relaxed) != isFull else { return }
        onChange(isFull)
    }

    /// The free space for this process; nil if the system does not say. Unit: bytes.
    private var free: Int? { machine.disk.space(at: path)?.free }

    /// Does the work; false if the disk is too full for it: then try again after a ``wait()``.
    ///
    /// - Parameter work: continues at the place of its failure when it is called again.
    /// - Throws: the work's error, if it is another one or ``stop()`` was called.
    func attempt(_ work: () throws -> Void) throws -> Bool {
        do {
            try work()
            if isWaiting { note(isWaiting: false) }
            return true
        } catch let error as JournalError where error.isWantOfSpace {
            note(isWaiting: true)
            guard !stopping.load(ordering: .acquiring) else { throw error }
            return false
        } catch {
            note(isWaiting: false)
            throw error
        }
    }

    /// Waits for a ``pause``, or until ``stop()`` is called.
    func wait() { wake.wait(seconds: 1) }

    /// True if the wait is over: see ``WakeTimer/isOver()``.
    var isWaitOver: Bool { wake.isOver() }

    private func note(isWaiting: Bool) {
        waiting.store(isWaiting, ordering: .releasing)
        note(isFull: isWaiting || (free.map { $0 < reserve } ?? false))
    }

    /// Lets a waiting writer try once more and then give up.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake.ring()
    }
}
