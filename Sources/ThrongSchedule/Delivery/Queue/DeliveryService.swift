package import Logging
internal import ServiceLifecycle
internal import Synchronization
package import ThrongPlan
internal import ThrongStore

/// Delivers made reports, again and again until they arrived or are given up, beside the schedule: a partner that does
/// not answer holds up no release and no other report's making.
package struct DeliveryService: Service {
    let plans: [Plan]
    let queue: DeliveryQueue
    let health: DeliveryHealth
    let rounds: RoundHealth
    let clock: UnixClock
    let interval: Duration
    let logger: Logger

    /// The most deliveries that are under way at once, so that a partner that is slow holds up no other.
    private static let atOnce = 4

    package init(
        plans: [Plan], queue: DeliveryQueue, health: DeliveryHealth, rounds: RoundHealth, clock: UnixClock,
        interval: Duration, logger: Logger
    ) {
        (self.plans, self.queue, self.health, self.rounds) = (plans, queue, health, rounds)
        (self.clock, self.interval, self.logger) = (clock, interval, logger)
    }

    package func run() async throws {
        rounds.expect(.deliveries)
        while !Task.isShuttingDownGracefully {
            await withTaskGroup(of: Void.self) { group in
                for plan in plans {
                    group.addTask { await rounds.make(.deliveries, app: plan.app.name) { try await round(plan) } }
                }
            }
            try await pause(interval)
        }
    }

    /// Does what is due for one app; one of those at once that fails ends no other.
    private func round(_ plan: Plan) async throws {
        let failure = await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<Self.atOnce { group.addTask { await work(plan) } }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let failure { throw failure }
    }

    /// Does what is due until nothing is left; says why it could not.
    private func work(_ plan: Plan) async -> (any Error)? {
        do {
            // A stop lets what is under way go on where it was, later, rather than wait for a partner.
            try await cancelWhenGracefulShutdown {
                try await queue.work(plan, foldersOnly: false, now: { clock.now }, over: note)
            }
            return nil
        } catch {
            let isWaiting = RoundHealth.isStop(error) || (error as? PostgresError)?.isRetryable == true
            if !isWaiting { health.failed() }
            return error
        }
    }

    private func note(_ outcome: DeliveryQueue.Outcome) {
        var facts: Logger.Metadata = [
            "report": "\(outcome.claim.run.report)", "period": "\(outcome.claim.run.periodStart)",
            "target": "\(outcome.claim.target)", "try": "\(outcome.claim.attempt)",
        ]
        guard let fault = outcome.fault else {
            health.delivered()
            logger.info("a report was delivered", metadata: facts)
            return
        }
        facts["error"] = "\(fault)"
        health.failed()
        if outcome.retryAt == nil {
            logger.critical("a delivery was given up; `throng report send` tries it again", metadata: facts)
        } else {
            logger.error("a delivery failed and is tried again", metadata: facts)
        }
    }
}

/// The counts of deliveries, for whoever watches over the daemon.
package final class DeliveryHealth: Sendable {
    package struct Counts: Sendable {
        package var deliveries = 0
        package var failures = 0
    }

    private let counts = Mutex(Counts())

    package init() {}

    package var snapshot: Counts { counts.withLock { $0 } }

    func delivered() { counts.withLock { $0.deliveries += 1 } }
    func failed() { counts.withLock { $0.failures += 1 } }
}
