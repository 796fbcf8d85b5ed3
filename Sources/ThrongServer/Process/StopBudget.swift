internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongPostgres
internal import ThrongStore

/// How long a stop may take, whatever hangs: less than a minute in all, so that a service manager that waits for longer never
/// has to kill. What is cut off is made up for at the next start: releases and reports are due again, the journal keeps what
/// PostgreSQL does not have.
final class StopBudget: Sendable {
    /// What is asked of PostgreSQL for releases, reports, deliveries and pages.
    static let questions = Duration.seconds(5)
    /// Requests that are under way.
    static let requests = Duration.seconds(15)
    /// The last flush, from when the last request was answered.
    static let lastFlush = Duration.seconds(10)
    /// Everything up to the last flush. After it comes only the private PostgreSQL.
    static let untilFlushed = Duration.seconds(30)
    /// The private PostgreSQL. Unit: seconds.
    static let clusterSeconds = 25

    private let state = Mutex<(began: ContinuousClock.Instant?, isFlushed: Bool)>((nil, false))
    private let announced = Mutex(false)

    /// When the stop began; now, where it has not.
    var began: ContinuousClock.Instant { state.withLock { $0.began ?? .now } }
    var isFlushed: Bool { state.withLock { $0.isFlushed } }

    /// Whether a stop is near, and whoever can go elsewhere should.
    var isAnnounced: Bool { announced.withLock { $0 } }
    func announce() { announced.withLock { $0 = true } }
    func begin() { state.withLock { $0.began = $0.began ?? .now } }
    func flushed() { state.withLock { $0.isFlushed = true } }
}

/// Is told of a stop before all others, and sees to it that it has an end.
struct StopWatch: Service {
    let budget: StopBudget
    let cluster: PrivateCluster?
    let logger: Logger
    /// Cuts short what nobody waits for.
    let onStop: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        budget.begin()
        onStop()
        // A thread: whatever hangs may hold those of the shared pool.
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: StopBudget.untilFlushed / .seconds(1))
            guard !budget.isFlushed else { return }
            logger.error("the stop took too long and is cut short; the journal keeps what PostgreSQL does not have")
            leave(stopping: cluster, within: StopBudget.clusterSeconds, logger: logger)
        }
    }
}

/// Is told of a stop once the last flush is over.
struct FlushMark: Service {
    let budget: StopBudget

    func run() async throws {
        try await gracefulShutdown()
        budget.flushed()
    }
}

/// A server whose requests have some time left once a stop has begun; then they are cut off.
struct BoundedServer: Service {
    let server: any Service
    let budget: StopBudget

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(until: budget.began + StopBudget.requests, clock: .continuous)
            }
            // Whichever is first: the server has ended by itself, or its time is up.
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Ends this process without waiting for anything but the private PostgreSQL. Blocks; not for a thread of the shared pool.
func leave(stopping cluster: PrivateCluster?, within seconds: Int, logger: Logger) -> Never {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await cluster?.stop(within: seconds)
        } catch {
            logger.error("the private PostgreSQL could not be stopped", metadata: ["error": "\(error)"])
        }
        isDone.signal()
    }
    isDone.wait()
    _exit(0)
}
