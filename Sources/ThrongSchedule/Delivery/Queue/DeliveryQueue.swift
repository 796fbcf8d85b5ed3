internal import Foundation
package import Logging
internal import ServiceLifecycle
internal import Synchronization
package import ThrongPlan
package import ThrongReport
package import ThrongStore
package import ThrongSystem

/// Brings made reports to where they go, each file once as far as the other side lets one know: what was acknowledged
/// is written down at once, and what may have arrived is sent again under the same idempotency key.
package struct DeliveryQueue: Sendable {
    package let store: DeliveryStore
    let folder: String
    let options: DeliveryOptions
    /// Writes files into a folder, on a thread of its own.
    package var write: @Sendable (ReportFiles, ReportFolder) throws -> [String] = { try $1.deliver($0) }

    package var traces = Traces.off

    package init(store: DeliveryStore, folder: String, options: DeliveryOptions) {
        (self.store, self.folder, self.options) = (store, folder, options)
    }

    /// A try that is over.
    package struct Outcome: Sendable {
        package let claim: DeliveryClaim
        /// The reason why it failed; nil where everything arrived.
        package let fault: String?
        /// The time at which it is tried again; nil where it is over for good.
        package let retryAt: UnixSeconds?
        /// The paths or addresses of the files that arrived.
        package let arrived: [String]
    }

    /// Tries what is due, of one run or of all of the plan's app, one after another, until nothing is.
    package func work(
        _ plan: Plan, run: ReportRunName? = nil, foldersOnly: Bool, now: @Sendable () -> UnixSeconds,
        over: (Outcome) -> Void
    ) async throws {
        while let claim = try await store.claimDelivery(
            app: plan.app.name, run: run, foldersOnly: foldersOnly, lease: options.lease, now: now())
        {
            guard let outcome = try await attempt(claim, of: plan, now: now) else { continue }
            over(outcome)
        }
    }

    /// Nil where another process has taken the delivery over.
    package func attempt(
        _ claim: DeliveryClaim, of plan: Plan, now: @Sendable () -> UnixSeconds
    ) async throws -> Outcome? {
        var arrived: [String] = []
        var fault: String?
        var isForGood = false
        let span = traces.begin(.delivery)
        span?.say(.app, claim.run.app.text)
        span?.say(.report, claim.run.report.text)
        span?.say(.attempts, Int(claim.attempt))
        defer { span?.end(failed: fault != nil) }
        do { arrived = try await deliver(claim, of: plan, now: now) } catch let error as PostgresError {
            // Nothing can be written down now: once the lease is over, the delivery goes on where it was.
            throw error
        } catch is TakenOver { return nil } catch {
            fault = "\(error)"
            isForGood = (error as? DeliveryFault)?.isForGood == true
        }
        let retryAt = fault == nil || isForGood ? nil : options.retry(after: claim.attempt, now: now())
        guard try await store.finish(claim, error: fault, retryAt: retryAt, now: now()) else { return nil }
        return Outcome(claim: claim, fault: fault, retryAt: retryAt, arrived: arrived)
    }

    private struct TakenOver: Error {}

    private func deliver(
        _ claim: DeliveryClaim, of plan: Plan, now: @Sendable () -> UnixSeconds
    ) async throws -> [String] {
        let kept = try await store.files(of: claim.run)
        let stored = kept.filter { !$0.name.hasSuffix(ReportFile.letterEnding) }
        guard !stored.isEmpty else { throw DeliveryFault.noFiles }
        let files = stored.map { ReportFile(name: $0.name, bytes: $0.contents) }
        switch Delivery(target: claim.target, authorization: claim.authorization) ?? plan.mail(claim) {
        case .folder(let path):
            let place = ReportFolder(named: path, in: folder)
            let report = ReportFiles(files)
            try await extend(claim, now())
            let paths = try await onOwnThread { [write] in try write(report, place) }
            for file in stored { try await note(file.place, nil, claim, now()) }
            return paths
        case .http(let target):
            let known = try await store.arrived(claim)
            let sender = FileSender(options: options)
            for (place, file) in zip(stored.map(\.place), files) where !known.contains(place) {
                let key = FileSender.key(of: file, within: claim.idempotencyKey)
                try await extend(claim, now())
                let status = try await sender.send(file, to: target, key: key)
                try await note(place, status, claim, now())
            }
            return files.map { target.method == .put ? target.url + $0.name : target.url }
        case .mail(let address, place: _):
            guard let letter = kept.last, stored.count < kept.count else { throw DeliveryFault.noFiles }
            try await extend(claim, now())
            try await MailSender(options: options).send(
                files, with: letter.contents, to: address, key: claim.idempotencyKey, now: now())
            for file in stored { try await note(file.place, nil, claim, now()) }
            return [claim.target]
        case nil: throw claim.target.hasPrefix("mail ") ? DeliveryFault.addressGone : .unknownTarget
        }
    }

    /// Extends the lease of a try. One whose lease another process has taken over sends nothing, whatever held it up.
    private func extend(_ claim: DeliveryClaim, _ now: UnixSeconds) async throws {
        guard try await store.extend(claim, lease: options.lease, now: now) else { throw TakenOver() }
    }

    private func note(_ place: Int, _ status: Int?, _ claim: DeliveryClaim, _ now: UnixSeconds) async throws {
        guard
            try await store.noteArrival(of: place, status: status, by: claim, lease: options.lease, now: now)
        else { throw TakenOver() }
    }
}

extension Plan {
    /// Returns a delivery by mail with the address that the plan has now; nil where it has none there, or where the report
    /// is another partner's now.
    fileprivate func mail(_ claim: DeliveryClaim) -> Delivery? {
        guard let report = report(claim.run.report), report.partner == claim.partner else { return nil }
        return report.deliveries.first { delivery in
            if case .mail = delivery { delivery.target == claim.target } else { false }
        }
    }
}

/// Runs a blocking call on a thread of its own: one that does not come back, such as a write to a dead file server, holds
/// no thread of the shared pool, on which clients are answered.
package func onOwnThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
    }
    return try outcome.get()
}

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
