package import Logging
internal import ServiceLifecycle
package import ThrongPlan
internal import ThrongRelease
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
        (self.plans, self.releases, self.reports, self.calendar) = (plans, releases, reports, calendar)
        (self.retention, self.standing, self.guarded, self.settlement) = (retention, standing, guarded, settlement)
        (self.lease, self.isInForce, self.health) = (lease, isInForce, health)
        (self.clock, self.interval, self.logger) = (clock, interval, logger)
    }

    package func run() async throws {
        health.rounds.expect(.schedule, .calendar, .releases, .reports, .retention, .backupKeys, .copies, .pages, .age)
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
        let isMine = await isOurs()
        guard isMine == true else {
            if isMine == false { health.resigned() }
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
        do { return try await lease.take(Self.work, for: Int(interval.components.seconds) * 3 + 10) } catch {
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
        for plan in plans { await trying(.calendar, plan) { try await releases.keepCalendar(of: plan, now: now) } }
    }

    private func giveBack() async {
        do { try await lease?.release(Self.work) } catch {
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
            } catch let error as PostgresError where error.isRetryable { throw error } catch {
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
                        """, metadata: ["daemon": "\(one.daemon)", "silent": "\(one.unheard) s"])
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
            if let lack = error as? PrintLack, lack.isMade {
                logger.warning("a report's PDF or pictures lack letters", metadata: facts)
                return
            }
            health.reportFailed()
            if error is PrintLack {
                logger.error("a report goes without its PDF or pictures", metadata: facts)
            } else {
                logger.error("a report failed", metadata: facts)
            }
        }
        for _ in 0..<delivered { health.reported(at: clock.now) }
    }

    private func trying(_ round: Round, _ plan: Plan, _ work: () async throws -> Void) async {
        await health.rounds.make(round, app: plan.app.name) {
            do { try await work() } catch let error as PostgresError where error.isRetryable {
                throw error
            } catch {
                if !RoundHealth.isStop(error) { health.failed() }
                throw error
            }
        }
    }

    // Deletion of expired data, and the check that none is left.

    /// Deletes expired data; returns false if anything of it could not be deleted.
    ///
    /// Each round is made even if another failed, and each app's part even if another app's failed.
    func expire(_ now: UnixSeconds) async -> Bool {
        let rounds = health.rounds
        let outcome = await rounds.make(.retention, leaving: \.troubles) {
            try await retention.expire(plans: plans, now: now)
        }
        // Keys are destroyed together with the expired data.
        if outcome != nil { rounds.ended(.backupKeys) }
        // Copies come after the numbers: a folder on another machine may hang.
        let copies = await rounds.make(.copies, leaving: \.troubles) {
            try await retention.removeCopies(plans, now: now)
        }
        for (folder, reason) in (copies?.left ?? [:]).sorted(by: { $0.key < $1.key }) {
            logger.warning(
                "reports that are kept no longer are still in a folder",
                metadata: ["folder": "\(folder)", "reason": "\(reason)"])
        }
        let went = (cells: outcome?.cells ?? 0, partitions: outcome?.partitions.count ?? 0, copies: copies?.files ?? 0)
        if went != (0, 0, 0) {
            logger.info(
                "let go of what was too old",
                metadata: ["cells": "\(went.cells)", "partitions": "\(went.partitions)", "copies": "\(went.copies)"])
        }
        // Pages come last, once all is logged: somebody may hold a table.
        let pages: Void? = await rounds.make(.pages) { try await retention.rewritePages() }
        return outcome?.troubles.isEmpty == true && copies?.troubles.isEmpty == true && pages != nil
    }

    /// Destroys, once an hour, the keys of data that another daemon has deleted and this one's backups still have.
    func destroyKeys(_ keysHour: inout Int64) async {
        guard clock.now.flooredQuotient(by: 3600) != keysHour, let now = await guarded.believed() else { return }
        let isDone: Void? = await health.rounds.make(.backupKeys) { try await retention.destroyKeys(now: now) }
        if isDone != nil { keysHour = now.flooredQuotient(by: 3600) }
    }

    /// Checks once an hour, and after each round of retention, whether any data is left that should be gone. It does so
    /// even while the time of day is not believed, which may be the cause.
    package func watch(_ watchedHour: inout Int64) async {
        let now = clock.now
        let hour = now.flooredQuotient(by: 3600)
        guard hour != watchedHour else { return }
        // If PostgreSQL can't be asked, the last known deadline stands: it becomes overdue by itself.
        guard let outlook = await health.rounds.make(.age, leaving: \.troubles, { try await retention.outlook(plans) })
        else { return }
        health.retentionIsDue(outlook.due, apps: plans.map(\.app.name), now: now)
        watchedHour = hour
        // The soonest comes first, so it is the latest.
        guard let worst = outlook.due.first, worst.isOverdue(at: now) else { return }
        logger.error(
            "what should have gone by its age is still there",
            metadata: [
                "steps": "\(outlook.due.count { $0.isOverdue(at: now) })", "app": "\(worst.app)",
                "metric": "\(worst.metric)", "term": "\(worst.term)", "late": "\(worst.seconds(lateAt: now)) s",
            ])
    }
}

/// The unbroken time for which a process could have heard other daemons.
///
/// While PostgreSQL is away, nobody can be heard, and a daemon's silence means nothing.
struct Reachability: Sendable, Hashable {
    /// The shortest time to have listened before releases go on without a silent daemon. Unit: seconds.
    private static let enough: Int64 = 3600
    /// The most that a rest between two looks adds: in a longer one much may have happened. Unit: seconds.
    private static let longestRest: Int64 = 300
    /// The time that may pass between two looks beyond three rests. Unit: seconds.
    private static let slack: Int64 = 120

    /// The time listened so far. Unit: seconds.
    private var listened: Int64 = 0
    private var lookedAt: UnixSeconds?

    /// True if the process has listened for long enough to tell which daemons are gone.
    var isEnough: Bool { listened >= Self.enough }

    /// Adds the time since the last look, at the beginning of one that reaches PostgreSQL; a process rests in between.
    mutating func look(at now: UnixSeconds, rest: Duration) {
        let passed = lookedAt.map { now - $0 } ?? -1
        // A machine that stood still has heard nobody, whatever its connections say.
        let isUnbroken = (0...3 * rest.components.seconds + Self.slack).contains(passed)
        listened = isUnbroken ? listened + min(passed, Self.longestRest) : 0
        lookedAt = now
    }

    /// Notes the end of a look, which may have taken long.
    mutating func end(at now: UnixSeconds) { if lookedAt != nil { lookedAt = now } }

    /// Starts over, as nobody could be heard.
    mutating func interrupt() { self = Reachability() }
}
