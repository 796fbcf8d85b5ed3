internal import Dispatch
internal import Foundation
internal import Synchronization

/// The space on the journal's disk: looked at ahead, so that nothing is taken that may not fit, and waited for where a
/// write finds none after all.
///
/// A failed write is no failed sync: what was not taken is known, and the rest can follow once there is space.
final class DiskSpace: Sendable {
    private struct State {
        var isWaiting = false
        var isStopping = false
        var isLow = false
        var lookedAt: ContinuousClock.Instant?
        /// What was said last.
        var wasFull = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let path: String
    private let reserve: Int
    private let onChange: @Sendable (_ isFull: Bool) -> Void

    /// How long a look at the disk stands, and how long a write waits before it is tried again.
    private static let pause = Duration.seconds(1)

    /// - Parameters:
    ///   - path: a directory on the disk.
    ///   - reserve: with less than this free nothing more is taken. Unit: bytes.
    ///   - onChange: called when the disk has filled up, and when there is space again.
    init(at path: String, reserve: Int, onChange: @escaping @Sendable (_ isFull: Bool) -> Void) {
        self.path = path
        self.reserve = reserve
        self.onChange = onChange
    }

    /// Whether a write waits for space.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// Whether what is taken now will fit, as of the last second.
    var hasRoom: Bool {
        let (hasRoom, changed) = state.withLock { state in
            let now = ContinuousClock.now
            if state.lookedAt.map({ now - $0 >= Self.pause }) ?? true {
                state.lookedAt = now
                state.isLow = free.map { $0 < reserve } ?? false
            }
            let isFull = state.isWaiting || state.isLow
            defer { state.wasFull = isFull }
            return (!isFull, isFull != state.wasFull)
        }
        if changed { onChange(!hasRoom) }
        return hasRoom
    }

    /// Bytes that are free for this process; nil where the system does not say.
    private var free: Int? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        return Int(clamping: UInt64(facts.f_bavail) * UInt64(facts.f_frsize))
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
                state.withLock { $0.isWaiting = false }
                return
            } catch {
                let isStopping = state.withLock { state in
                    state.isWaiting = error.isWantOfSpace
                    return state.isStopping
                }
                guard error.isWantOfSpace, !isStopping else { throw error }
            }
            _ = hasRoom
            meanwhile()
            _ = wake.wait(timeout: .now() + .seconds(1))
        }
    }

    /// Whoever waits tries once more and then gives up.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
    }
}
