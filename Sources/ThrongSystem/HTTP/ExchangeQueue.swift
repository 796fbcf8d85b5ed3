internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// Exchanges for one thread of its own, in order.
///
/// The thread ends after ``stop()``, once the exchanges before it are done. It holds the queue and never the queue's
/// owner, so that an owner's `deinit` can stop it.
final class ExchangeQueue: Sendable {
    private struct State {
        var exchanges: [Exchange] = []
        var isStopped = false
        /// The bell of the thread's handle, while the thread has one.
        var bell: UInt?
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(_ rules: ConnectionRules) {
        Thread.detachNewThread { [self] in work(rules) }
    }

    func add(_ exchange: Exchange) {
        state.withLock { $0.exchanges.append(exchange) }
        arrivals.signal()
    }

    /// Makes the thread look whether what it does was given up.
    func wake() {
        state.withLock { state in
            if let bell = state.bell { CurlHandle.wake(bell) }
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    private func work(_ rules: ConnectionRules) {
        Thread.current.name = "throng-curl"
        // The library was told to leave signals alone; a server that hangs up must not end the process.
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
        let handle = CurlHandle(rules)
        state.withLock { $0.bell = handle?.bell }
        // The bell goes before the handle does.
        defer { state.withLock { $0.bell = nil } }
        while true {
            arrivals.wait()
            let next = state.withLock { $0.exchanges.isEmpty ? nil : $0.exchanges.removeFirst() }
            guard let next else {
                if state.withLock({ $0.isStopped }) { return withExtendedLifetime(handle) {} }
                continue
            }
            next.end(handle?.exchange(next) ?? .failure(.failed(code: 2, reason: "libcurl can't be started")))
        }
    }
}
