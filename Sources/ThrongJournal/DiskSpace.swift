internal import Foundation
internal import Synchronization

/// The space on the journal's disk: looked at ahead, so that nothing is taken that may not fit, and waited for where a
/// write finds none after all.
///
/// A failed write is no failed sync: what was not taken is known, and the rest can follow once there is space.
final class DiskSpace: Sendable {
    private let full = Atomic<Bool>(false)
    private let waiting = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let lookedAt = Mutex<Duration?>(nil)
    private let wake: Bell
    private let path: String
    private let machine: Machine
    private let reserve: Int
    private let onChange: @Sendable (_ isFull: Bool) -> Void

    /// How long a look at the disk stands, and how long a write waits before it is tried again.
    static let pause = Duration.seconds(1)

    /// Looks at the disk.
    ///
    /// - Parameters:
    ///   - path: a directory on the disk.
    ///   - machine: whose disk it is.
    ///   - reserve: with less than this free nothing more is taken. Unit: bytes.
    ///   - onChange: called when the disk has filled up, and when there is space again.
    init(
        at path: String, of machine: Machine = .real, reserve: Int,
        onChange: @escaping @Sendable (_ isFull: Bool) -> Void
    ) {
        self.path = path
        self.machine = machine
        wake = Bell(on: machine)
        self.reserve = reserve
        self.onChange = onChange
        look()
    }

    /// Whether a write waits for space.
    var isWaiting: Bool { waiting.load(ordering: .acquiring) }

    /// Whether what is taken now will fit, as of the last ``look()``.
    var hasRoom: Bool { !full.load(ordering: .relaxed) }

    /// Looks at the disk, unless the last look still stands. Whoever writes does this, and once a ``pause`` with nothing to
    /// write: nobody who asks for room waits for a file system.
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

    /// Bytes that are free for this process; nil where the system does not say.
    private var free: Int? {
        machine.disk.space(at: path)?.free
    }

    /// Does the work; false where the disk is too full for it: then it is to be tried again after a ``wait()``.
    ///
    /// - Parameter work: goes on where it failed when it is called again.
    /// - Throws: what the work throws for another reason, or once ``stop()`` was called.
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

    /// Lets a ``pause`` pass, or less where ``stop()`` is called.
    func wait() { wake.wait(seconds: 1) }

    /// Whether it is over: see ``Bell/isOver()``.
    var isWaitOver: Bool { wake.isOver() }

    private func note(isWaiting: Bool) {
        waiting.store(isWaiting, ordering: .releasing)
        note(isFull: isWaiting || (free.map { $0 < reserve } ?? false))
    }

    /// Whoever waits tries once more and then gives up.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake.ring()
    }
}
