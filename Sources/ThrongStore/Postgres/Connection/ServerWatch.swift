internal import Foundation
internal import Synchronization

struct ServerIdentity: Sendable, Hashable {
    /// The start of its postmaster by its own clock, which no two servers share. Unit: microseconds since 1970.
    let postmaster: Int64
    /// True if it follows another server and takes no writes.
    let isReplica: Bool
}

/// Finds out, while an answer is late, whether another server has replaced the one that is asked.
///
/// A leader that hangs, or that can't be reached any more, closes no connection: to TCP it looks like a statement that
/// takes long. But new connections come to its successor, by the connection string's hosts or by a proxy. So one is
/// made now and then, on a thread of its own. If it comes to the same server, or to none, the wait for the statement
/// goes on.
final class ServerWatch: Sendable {
    private struct State {
        var isUnderWay = false
        var isReplaced = false
    }

    private let settings: ConnectionSettings
    private let state = Mutex(State())

    /// The time that an answer may be late before the first look, and between two looks. Unit: seconds.
    private static let pauseSeconds = 3

    /// - Parameter settings: the settings of the session that is watched.
    init(_ settings: ConnectionSettings) { self.settings = settings.brisk(seconds: 1) }

    /// True if a look has found that another server takes writes now.
    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    /// The time of the next look, for an answer that is waited for from now on.
    static var next: ContinuousClock.Instant { .now + .seconds(pauseSeconds) }

    /// Starts a look, without waiting for its result; does nothing while a look is under way.
    func look(whetherReplaced server: ServerIdentity) {
        let begins = state.withLock { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard begins else { return }
        Thread.detachNewThread { [self] in
            Thread.current.name = "throng-watch"
            // If no server answers, there is none to go to.
            let found = try? Session(settings).server
            state.withLock { state in
                state.isUnderWay = false
                guard let found, !found.isReplica, found.postmaster != server.postmaster else { return }
                state.isReplaced = true
            }
        }
    }
}
