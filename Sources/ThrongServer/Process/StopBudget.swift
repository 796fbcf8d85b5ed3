internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongStore

/// The time limits of a stop, whatever hangs: less than a minute in all, so that a service manager that waits for
/// longer never has to kill. The next start makes up for work that was cut off: releases and reports are due again, and
/// the journal keeps the counts that PostgreSQL does not have.
final class StopBudget: Sendable {
    /// The limit of questions to PostgreSQL for releases, reports, deliveries and pages.
    static let questions = Duration.seconds(5)
    static let requests = Duration.seconds(15)
    /// The limit of the last flush, from the answer to the last request.
    static let lastFlush = Duration.seconds(10)
    /// The limit of everything up to the last flush. Only the private PostgreSQL comes after it.
    static let untilFlushed = Duration.seconds(30)
    /// The limit of the private PostgreSQL. Unit: seconds.
    static let clusterSeconds = 25

    private let state = Mutex<(began: ContinuousClock.Instant?, isFlushed: Bool)>((nil, false))
    private let announced = Mutex(false)

    /// The time at which the stop began; now if it has not.
    var began: ContinuousClock.Instant { state.withLock { $0.began ?? .now } }
    var isFlushed: Bool { state.withLock { $0.isFlushed } }

    /// True if a stop is near, and clients that can go elsewhere should.
    var isAnnounced: Bool { announced.withLock { $0 } }
    func announce() { announced.withLock { $0 = true } }
    func begin() { state.withLock { $0.began = $0.began ?? .now } }
    func flushed() { state.withLock { $0.isFlushed = true } }
}

/// Hears of a stop before all others, and makes sure that it ends.
struct StopWatch: Service {
    let budget: StopBudget
    let cluster: PrivateCluster?
    let logger: Logger
    /// Cuts work short that nobody waits for.
    let onStop: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        budget.begin()
        onStop()
        // It has a thread of its own: work that hangs may hold those of the shared pool.
        Thread.detachNewThread { [self] in
            Thread.sleep(forTimeInterval: StopBudget.untilFlushed / .seconds(1))
            guard !budget.isFlushed else { return }
            logger.error("the stop took too long and is cut short; the journal keeps what PostgreSQL does not have")
            leave(stopping: cluster, within: StopBudget.clusterSeconds, logger: logger)
        }
    }
}

/// Hears of a stop once the last flush is over.
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
            // The first of two ends it: the server has ended by itself, or its time is up.
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Ends this process without waiting for anything but the private PostgreSQL. Blocks.
func leave(stopping cluster: PrivateCluster?, within seconds: Int, logger: Logger) -> Never {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await cluster?.stop(within: seconds)
        } catch { logger.error("the private PostgreSQL could not be stopped", metadata: ["error": "\(error)"]) }
        isDone.signal()
    }
    isDone.wait()
    _exit(0)
}
