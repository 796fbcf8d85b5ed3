internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// Waits for the flushes under way, holds off later ones, and closes a period; false where that was done before, or a part of it
    /// was opened meanwhile. The first part of a coarser period opens that.
    static func closePeriod(of scope: ReleaseScope, _ metric: Int64, _ session: Session) throws -> Bool {
        let period = scope.period
        if scope.ties != nil { try session.run(LockTies(app: scope.layout.app)) }
        let closing: any Command =
            switch scope.source {
            case .counted: ClosePeriod(metric: metric, period: period)
            case .parts: CloseOpenRollup(metric: metric, period: period)
            }
        let answers = try session.pipeline([
            LockMetric(metric: metric).statement, closing.statement, HoldCounters().statement,
        ])
        let isClosed = answers[1].affected == 1
        switch scope.source {
        case .counted(let rollups) where isClosed:
            for rollup in rollups { try session.run(InsertOpenRollup(metric: metric, period: rollup)) }
        case .counted:
            // The calendar may have opened it once more while another process released it.
            try session.run(DeleteOpenPeriod(metric: metric, period: period))
        case .parts where isClosed:
            // No part of it may be released after it, and become known as what a still coarser period has more.
            try session.run(CloseUncounted(metric: metric, periods: scope.layout.periods(in: period)))
        case .parts: break
        }
        return isClosed
    }

    /// Takes a released period off the list of open ones, and lets go of what was only known for its release.
    static func letGo(
        of scope: ReleaseScope, _ evidence: ReleaseEvidence, _ metric: Int64, _ session: Session
    ) throws {
        let (layout, period) = (scope.layout, scope.period)
        var isNeeded = true
        if case .counted(let rollups) = scope.source {
            try session.run(DeleteOpenPeriod(metric: metric, period: period))
            isNeeded = !rollups.isEmpty
        }
        isNeeded = try isNeeded && session.one(FindOpenRollup(metric: metric, period: period))
        if layout.provedFirsts != nil { try session.run(CountProvedFirsts(metric: metric, period: period)) }
        let counted = evidence.parts.map(\.period)
        let names = try terms(for: scope, session).ties.map { tiedNames($0, layout) } ?? []
        if !names.isEmpty {
            // Until nothing tied is open over the same time; it is forgotten at once where nothing is.
            for period in counted { try session.run(KeepPeriod(metric: metric, period: period, names: names)) }
        } else if !isNeeded {
            for period in counted { try deleteDistinct(period, metric, session) }
        }
        if scope.ties != nil { try session.run(ForgetKeptPeriods(app: layout.app)) }
        if layout.provedFirsts != nil { try session.run(ForgetProvedCounts(metric: metric)) }
    }

    static func deleteDistinct(_ period: Period, _ metric: Int64, _ session: Session) throws {
        _ = try session.pipeline([
            DeleteDistinct(metric: metric, period: period).statement,
            DeleteTop(metric: metric, period: period).statement,
        ])
    }
}
