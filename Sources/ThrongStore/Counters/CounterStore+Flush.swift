internal import Foundation
package import ThrongIngest
package import ThrongPlan

extension CounterStore {
    /// The time back to which late events may lie, and a day to spare. Unit: seconds.
    private static let recentSeconds: Int64 = 72 * 3600

    /// Adds a flush to the counters, exactly once, in one transaction.
    ///
    /// Advances the watermark from `after` to `through`, copies the deltas and upserts them in the order of the primary
    /// key. Counts of released periods go into the metric's period that holds `now`; distinct counts of such periods
    /// are left out. Any number of daemons may flush at once without deadlock.
    ///
    /// - Throws: ``StoreError``, ``PostgresError``. If ``PostgresError/isRetryable`` is true, make the same call again:
    ///   if the first one took effect, the answer is ``FlushOutcome/Application/alreadyApplied``.
    /// - Complexity: O(touched cells × log touched cells).
    package func flush(_ flush: Flush, now: UnixSeconds) async throws -> FlushOutcome {
        let attachment = try currentAttachment()
        let layouts = try await registered(flush.layouts)
        let pending = PendingFlush(flush, metrics: layouts.map(\.metric))
        let names = Dictionary(layouts.map { ($0.metric.id, $0.id) }, uniquingKeysWith: { first, _ in first })
        return try await connection.run { [self] session in
            let attempt = Attempt(attachment: attachment, flush: flush, pending: pending, names: names, now: now)
            do {
                return try apply(attempt, session)
            } catch let error as PostgresError where error.sqlState == .checkViolation {
                // Another process dropped a partition that this one knew.
                forgetPartitions()
                return try apply(attempt, session)
            }
        }
    }

    private struct Attempt: Sendable {
        let attachment: Attachment
        let flush: Flush
        var pending: PendingFlush
        let names: [Int32: LayoutID]
        var now: UnixSeconds
    }

    private func apply(_ attempt: Attempt, _ session: Session) throws -> FlushOutcome {
        try session.once(Query.createPending.name) {
            try session.execute(script: Query.createPending.sql, name: Query.createPending.name)
        }
        let attempt = try placed(attempt, session)
        try ensurePartitions(partitions(of: attempt), session)
        // A second pass is only for counts of released periods that go into a period without a partition.
        for isLast in [false, true] {
            do { return try applyOpen(attempt, session) } catch let error as PartitionsMissing where !isLast {
                try session.rollBack()
                try ensurePartitions(error.wanted, session)
            } catch {
                try session.rollBack()
                throw error
            }
        }
        throw PostgresError.unexpectedAnswer(query: "partition.ensure")
    }

    /// The error when partitions are missing: creating them takes locks that a flush must not hold, so that is done
    /// between transactions.
    private struct PartitionsMissing: Error { let wanted: Set<PeriodStart> }

    /// Returns the partitions that the flush needs, and those of each metric's current and next period.
    private func partitions(of attempt: Attempt) -> Set<PeriodStart> {
        var wanted: Set<PeriodStart> = []
        for period in attempt.pending.periods {
            guard let kind = attempt.pending.period(of: period.metric, containing: period.start)?.kind else { continue }
            wanted.insert(PeriodStart(kind: kind, start: period.start))
        }
        for metric in attempt.pending.metricIDs {
            guard let current = attempt.pending.period(of: Int32(metric), containing: attempt.now) else { continue }
            wanted.insert(PeriodStart(kind: current.kind, start: current.start))
            wanted.insert(PeriodStart(kind: current.kind, start: current.end))
        }
        return wanted
    }

    /// Moves deltas of impossible periods to the period that is open, so that one such delta does not stop all flushes
    /// after it. What was acknowledged is counted.
    ///
    /// A period is impossible if no partition is created for it, because the clock was far off when its events were
    /// counted.
    private func placed(_ attempt: Attempt, _ session: Session) throws -> Attempt {
        var attempt = attempt
        var targets: [PendingFlush.MetricPeriod: UnixSeconds] = [:]
        let unknown = partitions(of: attempt).filter { !knowsPartitions([$0]) }
        if !unknown.isEmpty {
            let impossible = try session.one(Query.selectImpossible(starts: Set(unknown.map(\.start)).sorted()))
            if !impossible.starts.isEmpty {
                // The clock of this process was wrong, or still is.
                attempt.now = impossible.now
                for period in attempt.pending.periods where impossible.starts.contains(period.start) {
                    targets[period] = attempt.pending.period(of: period.metric, containing: attempt.now)?.start
                }
            }
        }
        attempt.pending.redirect(targets)
        return attempt
    }

    private func applyOpen(_ attempt: Attempt, _ session: Session) throws -> FlushOutcome {
        var pending = attempt.pending
        let flush = attempt.flush
        let metrics = pending.metricIDs
        let recentlyClosed = Query.selectRecentlyClosed(metrics: metrics, since: attempt.now - Self.recentSeconds)
        let closedMeanwhile = Query.selectClosed(periods: pending.periods)
        let answers = try session.pipeline([
            Statement(name: "transaction.begin", sql: "begin"),
            // This comes before the watermark, as in backups.
            Statement(name: "open_period.lock", sql: "lock table throng.open_period in row exclusive mode"),
            Query.lockMetricsShared(metrics: metrics),
            Query.advanceWatermark(attachment: attempt.attachment, after: flush.after, through: flush.through),
            recentlyClosed.statement, closedMeanwhile.statement,
        ])
        let recent = Set(
            try recentlyClosed.rows(answers[4]).compactMap { period in
                attempt.names[period.metric].map { ClosedPeriod(layout: $0, periodStart: period.start) }
            })
        guard answers[3].affected == 1 else {
            try confirmAlreadyApplied(attempt, session)
            return FlushOutcome(
                application: .alreadyApplied, counters: 0, distinctCounts: 0, redirected: 0, droppedDistinct: 0,
                closedPeriods: recent)
        }
        let closed = try closedMeanwhile.rows(answers[5])
        pending.redirect(try openTargets(of: closed, in: pending, now: attempt.now, session))
        let open = pending.periods
        let emptied = pending.emptied
        pending.mergeTaken()
        let wanted = Set(
            open.compactMap { period in
                pending.period(of: period.metric, containing: period.start).map {
                    PeriodStart(kind: $0.kind, start: period.start)
                }
            })
        guard knowsPartitions(wanted) else { throw PartitionsMissing(wanted: wanted) }
        try copy(pending, session)
        let shard = attempt.attachment.shard
        var statements = [
            // This sorts half a million deltas without a temporary file; the commit resets it.
            Statement(name: "transaction.configure", sql: "set local work_mem = '64MB'"),
            // This comes after the copying: a process that hangs in a COPY must not hold up others, which wait for
            // whoever opens a new period.
            Query.openPeriods(periods: open, ends: open.map { pending.end(of: $0) }),
            Query.upsertCounters(shard: shard), Query.upsertDistinct(shard: shard),
        ]
        if !emptied.isEmpty { statements.append(Query.pruneRemoved(shard: shard, periods: emptied)) }
        statements += pending.coverage.statements
        if let ended = flush.closedUntil {
            statements.append(
                Query.insertWindowClosing(
                    daemon: attempt.attachment.daemon, through: flush.through, ended: ended, shard: shard))
        }
        statements.append(Statement(name: "transaction.commit", sql: "commit"))
        let last = try session.pipeline(statements)
        guard last.last?.command == "COMMIT" else { throw PostgresError.unexpectedAnswer(query: "transaction.commit") }
        return FlushOutcome(
            application: .applied, counters: last[2].affected, distinctCounts: last[3].affected,
            redirected: pending.redirected, droppedDistinct: pending.droppedDistinct, closedPeriods: recent)
    }

    /// Returns if the flush was applied before; throws in every other case.
    ///
    /// Commits something after it, so that PostgreSQL waits for its synchronous replica. The flush's own wait may have
    /// been cut short, by a crash or by hand; then only this server has it.
    private func confirmAlreadyApplied(_ attempt: Attempt, _ session: Session) throws {
        let through = attempt.flush.through
        let found = try Self.position(of: attempt.attachment, session)
        guard found == through else { throw StoreError.watermarkMoved(expected: attempt.flush.after, found: found) }
        try session.run(Query.advanceWatermark(attachment: attempt.attachment, after: through, through: through))
        try session.commit()
    }

    /// Returns the start of the period that takes the counts of each released period that the flush touches.
    private func openTargets(
        of closed: [PendingFlush.MetricPeriod], in pending: PendingFlush, now: UnixSeconds, _ session: Session
    ) throws -> [PendingFlush.MetricPeriod: UnixSeconds] {
        var targets: [PendingFlush.MetricPeriod: UnixSeconds] = [:]
        for (metric, periods) in Dictionary(grouping: closed, by: \.metric) {
            guard var target = pending.period(of: metric, containing: now) else { continue }
            // The period that holds now is normally open; a clock that was set back may find it released.
            let taken = Set(try session.run(Query.selectClosedFrom(metric: metric, from: target.start)))
            while taken.contains(target.start) {
                guard let next = pending.period(of: metric, containing: target.end) else { break }
                target = next
            }
            for period in periods { targets[period] = target.start }
        }
        return targets
    }

    private func copy(_ pending: PendingFlush, _ session: Session) throws {
        try session.copyIn(Query.copyPendingCounters.name, Query.copyPendingCounters.sql) { writer in
            for row in pending.counters {
                let start = CopyWriter.instant(row.periodStart)
                try writer.row(columns: 6, row.kind, start, row.metric, row.measure, row.cell, row.delta)
            }
        }
        try session.copyIn(Query.copyPendingDistinct.name, Query.copyPendingDistinct.sql) { writer in
            for row in pending.distinct {
                let start = CopyWriter.instant(row.periodStart)
                try writer.row(columns: 7, row.kind, start, row.metric, row.margin, row.cell, row.window, row.delta)
            }
        }
    }
}

package struct FlushOutcome: Sendable, Hashable {
    /// The call that changed the counters: this one or an earlier one.
    package enum Application: Sendable, Hashable {
        case applied
        /// They had been added before; the answer to that call was lost.
        case alreadyApplied
    }

    /// The call that changed the counters: this one or an earlier one.
    package let application: Application
    /// The number of counters touched. Unit: rows.
    package let counters: Int
    /// The number of distinct counts touched. Unit: rows.
    package let distinctCounts: Int
    /// The number of deltas of released periods that went into the period open now.
    package let redirected: Int
    /// The number of deltas of distinct counts that were left out, because their period was released.
    package let droppedDistinct: Int
    /// The released periods that ended within the last 72 hours, of the layouts in use.
    package let closedPeriods: Set<ClosedPeriod>
}

/// PostgreSQL's record of a daemon.
package struct Watermark: Sendable, Hashable {
    /// The position up to which the daemon's journal is in the counters.
    package let position: JournalPosition
    /// The fence, which grows with every attachment; only the process of the last one may flush.
    package let fence: Int64
    /// The lock of the process that attached last; nil if it has given its place back.
    package let holder: String?
    /// The fence of the process that waits to take the place, negative once the holder has heard of it; nil where none
    /// waits.
    package let claim: Int64?
    package let shard: Int16

    /// The fence of the process that waits, heard of or not; 0 where none does.
    package var claimed: Int64 { claim.map { abs($0) } ?? 0 }

    /// True if others count in its place: no process has this fence.
    package var isRetired: Bool { fence == .max }

    package init(
        position: JournalPosition, fence: Int64, holder: String? = nil, claim: Int64? = nil, shard: Int16 = 0
    ) { (self.position, self.fence, self.holder, self.claim, self.shard) = (position, fence, holder, claim, shard) }
}

extension Query {
    static func selectWatermark(daemon: DaemonID) -> RowQuery<Watermark> {
        RowQuery(watermark_select_sql, daemon, row: Watermark.init)
    }

    static func attachWatermark(
        daemon: DaemonID, shard: Int16, fence: Int64, found: Int64, holder: String?, still: JournalPosition?
    ) -> RowQuery<JournalPosition> { RowQuery(watermark_attach_sql, daemon, fence, found, holder, shard, still) }

    static func claimWatermark(daemon: DaemonID, fence: Int64, claim: Int64, shard: Int16) -> Statement {
        Statement(watermark_claim_sql, daemon, fence, claim, shard)
    }

    static func hearWatermark(attachment: CounterStore.Attachment) -> Statement {
        Statement(watermark_hear_sql, attachment)
    }

    static func releaseWatermark(attachment: CounterStore.Attachment) -> Statement {
        Statement(watermark_release_sql, attachment)
    }

    static func advanceWatermark(
        attachment: CounterStore.Attachment, after: JournalPosition, through: JournalPosition
    ) -> Statement {
        Statement(watermark_advance_sql, attachment.daemon, after, through, attachment.fence, attachment.shard)
    }

    static func insertWindowClosing(
        daemon: DaemonID, through: JournalPosition, ended: UnixSeconds, shard: Int16
    ) -> Statement { Statement(window_closing_insert_sql, daemon, through, ended.value, shard) }

    static func selectWindowClosing(daemon: DaemonID, after: JournalPosition, shard: Int16) -> RowQuery<UnixSeconds?> {
        RowQuery(window_closing_select_sql, daemon, after, shard)
    }

    static func selectAsked() -> RowQuery<Asking> { RowQuery(settlement_asked_sql, row: Asking.init) }

    static func settleWatermark(attachment: CounterStore.Attachment, asking: Asking) -> Statement {
        Statement(watermark_settle_sql, attachment, asking.number, asking.read)
    }
}

extension CounterStore.Attachment: ParameterValue {
    var parameters: [Parameter] { daemon.parameters + fence.parameters + shard.parameters }
}
