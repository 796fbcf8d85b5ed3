package import Logging
internal import ServiceLifecycle
package import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongStore

/// Releases, reports and deletes expired data, all by itself, as the plans say.
package struct ScheduleService: Service {
    let plans: [Plan]
    let releases: any DueReleases
    let reports: any DueReports
    let calendar: any ReleaseCalendar
    let retention: any Retention
    let standing: FlushStanding
    let guarded: ClockGuard
    let settlement: Settlement
    /// The lease on the schedule; nil if there is no other daemon.
    let lease: (any ScheduleLease)?
    let isInForce: @Sendable () -> Bool
    let health: ScheduleHealth
    let clock: UnixClock
    let interval: Duration
    let logger: Logger

    /// `isInForce` tells of the plans; if they are not, other daemons release and report.
    package init(
        plans: [Plan], releases: any DueReleases, reports: any DueReports, calendar: any ReleaseCalendar,
        retention: any Retention, standing: FlushStanding, guarded: ClockGuard, settlement: Settlement,
        lease: (any ScheduleLease)? = nil, isInForce: @escaping @Sendable () -> Bool = { true },
        health: ScheduleHealth, clock: UnixClock, interval: Duration, logger: Logger
    ) {
        self.plans = plans
        self.releases = releases
        self.reports = reports
        self.calendar = calendar
        self.retention = retention
        self.standing = standing
        self.guarded = guarded
        self.settlement = settlement
        self.lease = lease
        self.isInForce = isInForce
        self.health = health
        self.clock = clock
        self.interval = interval
        self.logger = logger
    }

    package func run() async throws {
        health.rounds.expect(
            .schedule, .calendar, .releases, .reports, .retention, .backupKeys, .copies, .pages, .age)
        var progress = Progress()
        while !Task.isShuttingDownGracefully { try await pause(await round(&progress)) }
        await giveBack()
    }

    /// The state that is kept from one round to the next.
    package struct Progress {
        /// The day on which expired data was deleted last. Unit: days since 1970.
        package var expiredDay: Int64 = -1
        /// The hour of the last check for data that should be gone. Unit: hours since 1970.
        package var watchedHour: Int64 = -1
        /// The hour of the last look at backup keys while others have the schedule. Unit: hours since 1970.
        package var keysHour: Int64 = -1
        /// The question that not all daemons have answered yet.
        var asked: Settlement.Asked?
        /// The time for which this process could hear them.
        var hearing = Reachability()

        package init() {}
    }

    /// Does what is due; returns the rest until the next round.
    package func round(_ progress: inout Progress) async -> Duration {
        let hearing = progress.hearing
        defer {
            // PostgreSQL was away, or another daemon looks.
            if progress.hearing == hearing { progress.hearing.interrupt() }
        }
        // Counts that still wait in the journal, or that PostgreSQL lost, belong into the release.
        guard standing.isLevel else { return .milliseconds(250) }
        guard isInForce() else {
            await leaveToOthers()
            await destroyKeys(&progress.keysHour)
            return interval
        }
        // One of many daemons looks, so that not all of them compute the same.
        guard let isMine = await isOurs() else {
            await destroyKeys(&progress.keysHour)
            return interval
        }
        guard isMine else {
            health.resigned()
            await destroyKeys(&progress.keysHour)
            return interval
        }
        let day = progress.expiredDay
        await look(&progress)
        if progress.expiredDay != day { progress.watchedHour = -1 }
        await watch(&progress.watchedHour)
        return interval
    }

    /// Looks once at what is due and, once a day, at expired data. It does nothing while the time of day is not
    /// believed, because acts by a wrong clock can't be undone.
    package func look(_ progress: inout Progress) async {
        guard let now = await guarded.believed() else {
            // Others may know what time it is.
            return await giveBack()
        }
        // The calendar comes before the look at what is due: no period may come and be due without it.
        for plan in plans where isInForce() {
            await trying(.calendar, plan) {
                try await releases.keepCalendar(of: plan, now: now)
                try await releases.giveUpRollups(of: plan)
            }
        }
        let settled = await settled(now, &progress)
        // Releases take their time, and another plan may come into force meanwhile.
        for plan in plans where isInForce() { await tick(plan, settled: settled, now: now) }
        progress.hearing.end(at: clock.now)
        let day = now.flooredQuotient(by: 86_400)
        if day != progress.expiredDay, isInForce(), await expire(now) { progress.expiredDay = day }
        health.rounds.ended(.schedule)
    }

    private static let work = "schedule"

    /// Returns true if this daemon holds the lease, which lasts until after its next look; nil without PostgreSQL.
    private func isOurs() async -> Bool? {
        guard let lease else { return true }
        do {
            return try await lease.take(Self.work, for: Int(interval.components.seconds) * 3 + 10)
        } catch {
            health.rounds.failed(.schedule, error)
            return nil
        }
    }

    /// Releases, reports and deletes nothing, as another plan is in force.
    ///
    /// The periods of this plan are still opened by the clock: none may show whether anything was counted.
    private func leaveToOthers() async {
        await giveBack()
        health.resigned()
        guard let now = await guarded.believed() else { return }
        for plan in plans {
            await trying(.calendar, plan) { try await releases.keepCalendar(of: plan, now: now) }
        }
    }

    private func giveBack() async {
        do {
            try await lease?.release(Self.work)
        } catch {
            // Another one takes it once it is over.
            logger.debug("the schedule's lease was not given back", metadata: ["error": "\(error)"])
        }
    }

    /// Waits for other daemons; ends when the process is about to stop.
    package static let rest: @Sendable (Duration) async throws -> Void = { length in
        try await pause(length)
        if Task.isShuttingDownGracefully { throw CancellationError() }
    }

    private func isAnythingDue(_ now: UnixSeconds) async throws -> Bool {
        for plan in plans {
            do {
                guard let due = try await calendar.firstDue(of: plan) else { continue }
                if due <= now { return true }
            } catch let error as PostgresError where error.isRetryable {
                throw error
            } catch {
                // The log says why when its releases fail.
                return true
            }
        }
        return false
    }

    /// Returns the time up to which PostgreSQL has all that daemons acknowledged: releases due by then can be made.
    ///
    /// It is nil if nothing is due, or a daemon has to be waited for, which is logged.
    private func settled(_ now: UnixSeconds, _ progress: inout Progress) async -> UnixSeconds? {
        do {
            let isDue = try await isAnythingDue(now)
            progress.hearing.look(at: now, rest: interval)
            guard isDue else {
                health.releasesWait(for: [])
                health.rounds.ended(.releases)
                return nil
            }
            // A daemon with a long flush answers between two looks; another question would cost it another flush.
            let asked =
                if let earlier = progress.asked, earlier.stands(at: now) { earlier } else {
                    try await settlement.ask(at: now)
                }
            progress.asked = asked
            let mayTell = progress.hearing.isEnough
            func isGone(_ one: UnsettledDaemon) -> Bool { mayTell && one.silence > Settlement.longestSilence }
            let silent = try await settlement.silent(asked)
            health.releasesWait(for: silent.filter { !isGone($0) })
            for one in silent {
                let isGone = isGone(one)
                logger.log(
                    level: isGone ? .warning : .error,
                    isGone
                        ? "releases go on without a daemon that was not heard of for two days"
                        : """
                        releases wait for a daemon that may have acknowledged what PostgreSQL lacks: start it, set its clock \
                        where that is wrong, or, where its data directory is gone, `throng daemon leave --data-is-lost`
                        """,
                    metadata: ["daemon": "\(one.daemon)", "silent": "\(one.unheard) s"])
            }
            guard silent.allSatisfy(isGone) else { return nil }
            progress.asked = nil
            return asked.now
        } catch {
            // A stop, or PostgreSQL is away: the next look asks again.
            progress.hearing.interrupt()
            health.rounds.failed(.releases, error)
            return nil
        }
    }

    /// Looks once at what is due of one plan; releases are made up to `settled`, none if it is nil.
    package func tick(_ plan: Plan, settled: UnixSeconds?, now: UnixSeconds) async {
        if let settled { await trying(.releases, plan) { try await release(plan, settled) } }
        // Reports are made even if releases failed: those of other periods have all that they need.
        await trying(.reports, plan) { try await report(plan, now) }
        do {
            // Asked after the releases: what is due now was not made.
            health.releaseIsDue(at: try await calendar.firstDue(of: plan), app: plan.app.name)
        } catch {
            // The last known time stands: it becomes overdue by itself.
            health.rounds.failed(.releases, app: plan.app.name, error)
        }
    }

    private func release(_ plan: Plan, _ now: UnixSeconds) async throws {
        var waits: PostgresError?
        let all = try await releases.releaseDue(of: plan, now: now) { failure in
            var facts: Logger.Metadata = [
                "metric": "\(failure.metric)", "kind": "\(failure.period.kind)", "period": "\(failure.period.start)",
            ]
            facts["error"] = "\(failure.error)"
            if let error = failure.error as? PostgresError, error.isRetryable {
                waits = waits ?? error
            } else if let error = failure.error as? ReleaseError, error.isForGood {
                health.failed()
                logger.error("a release can't be made and is given up", metadata: facts)
            } else {
                health.failed()
                logger.error("a release failed and is tried again", metadata: facts)
            }
        }
        for made in all {
            health.released(at: clock.now)
            logger.info("released", metadata: ["metric": "\(made.metric)", "period": "\(made.period.start)"])
        }
        if let waits { throw waits }
    }

    private func report(_ plan: Plan, _ now: UnixSeconds) async throws {
        let delivered = try await reports.deliverDue(of: plan, now: now) { report, error in
            let facts: Logger.Metadata = ["report": "\(report.name)", "error": "\(error)"]
            if let lack = error as? PrintError, lack.isMade {
                logger.warning("a report's PDF lacks letters", metadata: facts)
                return
            }
            health.reportFailed()
            if error is PrintError {
                logger.error("a report goes without its PDF", metadata: facts)
            } else {
                logger.error("a report failed", metadata: facts)
            }
        }
        for _ in 0..<delivered { health.reported(at: clock.now) }
    }

    private func trying(_ round: Round, _ plan: Plan, _ work: () async throws -> Void) async {
        await health.rounds.make(round, app: plan.app.name) {
            do {
                try await work()
            } catch let error as PostgresError where error.isRetryable {
                throw error
            } catch {
                if !RoundHealth.isStop(error) { health.failed() }
                throw error
            }
        }
    }
}
