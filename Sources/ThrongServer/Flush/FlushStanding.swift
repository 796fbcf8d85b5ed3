internal import Synchronization

/// Whether PostgreSQL has all that was counted up to a moment ago: what is released must not wait in a journal.
final class FlushStanding: Sendable {
    private let state = Mutex(false)

    var isLevel: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
