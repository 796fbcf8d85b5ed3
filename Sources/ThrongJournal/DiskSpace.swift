internal import Dispatch
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
    private let lookedAt = Mutex<ContinuousClock.Instant?>(nil)
    private let wake = DispatchSemaphore(value: 0)
    private let path: String
    private let reserve: Int
    private let onChange: @Sendable (_ isFull: Bool) -> Void

    /// How long a look at the disk stands, and how long a write waits before it is tried again.
    static let pause = Duration.seconds(1)

    /// Looks at the disk.
    ///
    /// - Parameters:
    ///   - path: a directory on the disk.
    ///   - reserve: with less than this free nothing more is taken. Unit: bytes.
    ///   - onChange: called when the disk has filled up, and when there is space again.
    init(at path: String, reserve: Int, onChange: @escaping @Sendable (_ isFull: Bool) -> Void) {
        self.path = path
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
            let now = ContinuousClock.now
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
        DataDirectory.space(at: path)?.free
    }

    /// Does the work again and again while the disk is too full for it.
    ///
    /// - Parameters:
    ///   - work: goes on where it failed when it is called again.
    ///   - meanwhile: called before each wait.
    /// - Throws: what the work throws for another reason, or once ``stop()`` was called.
    func retrying(
        _ work: () throws(JournalError) -> Void, meanwhile: () -> Void
    ) throws(JournalError) {
        while true {
            do {
                try work()
                if isWaiting { note(isWaiting: false) }
                return
            } catch {
                note(isWaiting: error.isWantOfSpace)
                guard error.isWantOfSpace, !stopping.load(ordering: .acquiring) else { throw error }
            }
            meanwhile()
            _ = wake.wait(timeout: .now() + .seconds(1))
        }
    }

    private func note(isWaiting: Bool) {
        waiting.store(isWaiting, ordering: .releasing)
        note(isFull: isWaiting || (free.map { $0 < reserve } ?? false))
    }

    /// Whoever waits tries once more and then gives up.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake.signal()
    }
}
