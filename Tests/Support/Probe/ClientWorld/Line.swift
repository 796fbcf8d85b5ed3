import Synchronization
package import ThrongClient
internal import ThrongWire

/// A device's line to the daemon, which fails as it is told to.
package final class Line: ClientTransport {
    /// What happens to a request.
    package enum Weather: Sendable {
        case fine
        /// There is no connection.
        case offline
        /// The request gets lost on its way.
        case requestLost
        /// It is counted and the answer gets lost.
        case answerLost
        /// It arrives twice, as after a retry by a proxy.
        case twice
        /// It arrives twice, as of two devices: what must not happen.
        case twiceRenamed
        /// It is answered by someone else.
        case answer(ClientResponse)
    }

    private let daemon: Daemon
    private let clock: any ClientClock
    private let state: Mutex<(weather: Weather, requests: [ClientRequest])>

    package init(_ daemon: Daemon, clock: any ClientClock, weather: Weather = .fine) {
        self.daemon = daemon
        self.clock = clock
        state = Mutex((weather, []))
    }

    package func set(_ weather: Weather) { state.withLock { $0.weather = weather } }

    /// Every request that was made, whatever became of it.
    package var requests: [ClientRequest] { state.withLock { $0.requests } }
    package var posts: [ClientRequest] { requests.filter { $0.method == "POST" } }

    package func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        let weather = state.withLock { state in
            state.requests.append(request)
            return state.weather
        }
        switch weather {
        case .offline: throw .notSent
        case .requestLost: throw .unanswered
        case .answer(let response): return response
        case .fine: return daemon.take(request, now: UnixSeconds(clock.unixSeconds))
        case .twice:
            _ = daemon.take(request, now: UnixSeconds(clock.unixSeconds))
            return daemon.take(request, now: UnixSeconds(clock.unixSeconds))
        case .twiceRenamed:
            _ = daemon.take(request, now: UnixSeconds(clock.unixSeconds), renamed: true)
            return daemon.take(request, now: UnixSeconds(clock.unixSeconds))
        case .answerLost:
            _ = daemon.take(request, now: UnixSeconds(clock.unixSeconds))
            throw .unanswered
        }
    }
}
