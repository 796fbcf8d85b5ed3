internal import Foundation
internal import Synchronization

/// Which server a session is on.
struct ServerIdentity: Sendable, Hashable {
    /// When its postmaster was started, by its own clock: two servers that take turns don't share that.
    ///
    /// - Unit: microseconds since 1970.
    let postmaster: Int64
    /// Whether it follows another one and takes no writes.
    let isReplica: Bool
}

/// Finds out, while an answer is late, whether another server has taken the place of the one that is asked.
///
/// A leader that stands still, or that nobody reaches any more, closes no connection: TCP alone waits for it, as for a
/// statement that takes long. But new connections come to its successor, by the connection string's hosts or by a proxy.
/// So one is made now and then, on a thread of its own. Where it comes to the same server, or to none, the statement is
/// waited for as before.
final class ServerWatch: Sendable {
    private struct State {
        var isUnderWay = false
        var isReplaced = false
    }

    private let settings: ConnectionSettings
    private let state = Mutex(State())

    /// How long an answer may be late before the first look, and between two. Unit: seconds.
    private static let pauseSeconds = 3

    /// - Parameter settings: those of the session that is watched.
    init(_ settings: ConnectionSettings) { self.settings = settings.brisk(seconds: 1) }

    /// Whether a look has found that another server takes writes now.
    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    /// When the next look is due, for an answer that is waited for from now on.
    static var next: ContinuousClock.Instant { .now + .seconds(pauseSeconds) }

    /// Looks, without waiting for what comes of it; nothing where a look is under way.
    func look(whetherReplaced server: ServerIdentity) {
        let begins = state.withLock { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard begins else { return }
        Thread.detachNewThread { [self] in
            Thread.current.name = "throng-watch"
            // Nobody answers: then there is nobody to go to.
            let found = try? Session(settings).server
            state.withLock { state in
                state.isUnderWay = false
                guard let found, !found.isReplica, found.postmaster != server.postmaster else { return }
                state.isReplaced = true
            }
        }
    }
}
