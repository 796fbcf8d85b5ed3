internal import ThrongPlan
internal import ThrongRelease

extension ReleaseStore {
    /// Waits for the flushes under way, holds off later ones, and closes a period; false if it was closed before, or a
    /// part of it was opened meanwhile. The first part of a coarser period opens that period.
    static func closePeriod(of scope: ReleaseScope, _ metric: Int64, _ session: Session) throws -> Bool {
        let period = scope.period
        let closing =
            switch scope.source {
            case .counted: Query.closePeriod(metric: metric, period: period)
            case .parts: Query.closeOpenRollup(metric: metric, period: period)
            }
        let answers = try session.pipeline([
            Query.lockMetric(metric: metric), closing, Query.holdCounters(),
        ])
        let isClosed = answers[1].affected == 1
        switch scope.source {
        case .counted(let rollups) where isClosed:
            for rollup in rollups { try session.run(Query.insertOpenRollup(metric: metric, period: rollup)) }
        case .counted:
            // The calendar may have opened it once more while another process released it.
            try session.run(Query.deleteOpenPeriod(metric: metric, period: period))
        case .parts where isClosed:
            // No part of it may be released later: it would show the difference to a still coarser period.
            try session.run(Query.closeUncounted(metric: metric, periods: scope.layout.periods(in: period)))
        case .parts: break
        }
        return isClosed
    }

    /// Deletes a released period from the open ones, and the data that only its release needed.
    static func letGo(
        of scope: ReleaseScope, _ evidence: ReleaseEvidence, _ metric: Int64, _ session: Session
    ) throws {
        let (layout, period) = (scope.layout, scope.period)
        var isNeeded = true
        if case .counted(let rollups) = scope.source {
            try session.run(Query.deleteOpenPeriod(metric: metric, period: period))
            isNeeded = !rollups.isEmpty
        }
        isNeeded = try isNeeded && session.one(Query.findOpenRollup(metric: metric, period: period))
        if !isNeeded {
            for part in evidence.parts { try session.run(Query.deleteDistinct(metric: metric, period: part.period)) }
        }
        if layout.provedFirsts != nil { try session.run(Query.deleteProvedFirsts(metric: metric, period: period)) }
    }
}
