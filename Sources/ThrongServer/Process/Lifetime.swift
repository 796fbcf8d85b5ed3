internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongDelivery
internal import ThrongPostgres
internal import ThrongStore
internal import UnixSignals

/// What signals mean to a daemon, from its first moment on.
///
/// SIGTERM, SIGINT and SIGQUIT stop it in order; during its start, when nothing was taken that could be lost, they end it
/// once its PostgreSQL has stopped. SIGHUP changes nothing: everything is read once, and a terminal that is closed or a
/// habit of reloading must not end it.
final class Lifetime: Sendable {
    private enum Phase {
        case starting(PrivateCluster?)
        case running(ServiceGroup)
    }

    private let phase = Mutex(Phase.starting(nil))
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func starts(_ cluster: PrivateCluster?) { phase.withLock { $0 = .starting(cluster) } }
    func runs(_ group: ServiceGroup) { phase.withLock { $0 = .running(group) } }

    /// Does something, and meanwhile what signals ask for.
    func watched(_ work: @escaping @Sendable () async throws -> Void) async throws {
        // A log that nobody reads any more is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sigquit, .sighup)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals { await self.heed(signal) }
            }
            defer { group.cancelAll() }
            try await work()
        }
    }

    private func heed(_ signal: UnixSignal) async {
        guard signal != .sighup else {
            return logger.notice(
                "SIGHUP: nothing is read anew while throng runs; to change plans or settings, restart it")
        }
        switch phase.withLock({ $0 }) {
        case .running(let group): await group.triggerGracefulShutdown()
        case .starting(let cluster):
            logger.notice("stopped during the start")
            await onOwnThread { [logger] () -> Void in
                leave(stopping: cluster, within: StopBudget.clusterSeconds, logger: logger)
            }
        }
    }
}
