internal import Synchronization

/// Whether PostgreSQL has all that was counted up to a moment ago: what is released must not wait in a journal.
package final class FlushStanding: Sendable {
    private let state = Mutex(false)

    package init() {}

    package var isLevel: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
