internal import Logging
internal import ServiceLifecycle
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// Releases, reports and lets go of what is too old, all by itself, as the plans say.
struct ScheduleService: Service {
    let plans: [Plan]
    let releases: ReleaseDesk
    let reports: ReportDesk
    let store: ReleaseStore
    let standing: FlushStanding
    let telemetry: Telemetry
    let clock: UnixClock
    let interval: Duration
    let logger: Logger

    func run() async throws {
        var expiredDay: Int64 = -1
        while !Task.isShuttingDownGracefully {
            // What still waits in the journal, or was lost by PostgreSQL, belongs into what is released now.
            guard standing.isLevel else {
                try await pause(.milliseconds(250))
                continue
            }
            for plan in plans { await tick(plan) }
            let day = clock.now.flooredQuotient(by: 86_400)
            if day != expiredDay {
                let isDone = await expire()
                expiredDay = isDone ? day : expiredDay
            }
            try await pause(interval)
        }
    }

    /// Looks once at what is due.
    func tick(_ plan: Plan) async {
        await trying { try await release(plan) }
        // Also where releases failed: reports of other periods have all that they need.
        await trying { try await report(plan) }
        do {
            // Asked after the releases: what is due now was not made.
            let end = try await store.firstOpenEnd(app: plan.app.name)
            telemetry.releaseIsDue(at: end.map { $0 + plan.app.grace.components.seconds }, app: plan.app.name)
        } catch {
            // What was known last stands: it gets overdue by itself.
            logger.notice("what is due next could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func release(_ plan: Plan) async throws {
        let all = try await releases.releaseDue(of: plan, now: clock.now) { failure in
            var facts: Logger.Metadata = [
                "metric": "\(failure.metric)", "kind": "\(failure.period.kind)", "period": "\(failure.period.start)",
            ]
            facts["error"] = "\(failure.error)"
            if let error = failure.error as? StoreError, error.isRetryable {
                logger.notice("a release waits for PostgreSQL", metadata: facts)
            } else {
                telemetry.scheduleFailed()
                logger.error("a release failed and is tried again", metadata: facts)
            }
        }
        for made in all {
            if let gap = made.gap {
                logger.warning(
                    "a noisy release is missing for good",
                    metadata: ["metric": "\(made.metric)", "period": "\(made.period.start)", "reason": "\(gap)"])
                continue
            }
            telemetry.released(at: clock.now)
            logger.info("released", metadata: ["metric": "\(made.metric)", "period": "\(made.period.start)"])
        }
    }

    private func report(_ plan: Plan) async throws {
        let delivered = try await reports.deliverDue(of: plan, now: clock.now) { report, error in
            telemetry.reportFailed()
            let facts: Logger.Metadata = ["report": "\(report.name)", "error": "\(error)"]
            if error is PrintError {
                logger.error("a report goes without its PDF", metadata: facts)
            } else {
                logger.error("a report failed", metadata: facts)
            }
        }
        for _ in 0..<delivered { telemetry.reported(at: clock.now) }
    }

    private func trying(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch let error as StoreError where error.isRetryable {
            logger.notice("the schedule waits for PostgreSQL", metadata: ["error": "\(error)"])
        } catch {
            telemetry.scheduleFailed()
            logger.error("the schedule failed and is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// Takes away what is older than it may be; false where PostgreSQL could not.
    private func expire() async -> Bool {
        do {
            for plan in plans {
                let outcome = try await store.expire(plan: plan, now: clock.now)
                if outcome.cells > 0 || !outcome.partitions.isEmpty {
                    logger.info(
                        "let go of what was too old",
                        metadata: ["cells": "\(outcome.cells)", "partitions": "\(outcome.partitions.count)"])
                }
            }
            return true
        } catch {
            logger.notice("retention is tried again", metadata: ["error": "\(error)"])
            return false
        }
    }
}
