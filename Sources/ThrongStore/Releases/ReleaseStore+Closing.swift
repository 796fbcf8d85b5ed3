internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// Waits for the flushes under way, holds off later ones, and closes a period; false where that was done before.
    static func close(_ scope: ReleaseScope, _ metric: Int64, _ session: Session) throws -> Bool {
        let period = scope.period
        if scope.ties != nil { try session.query(Query.lockTies([.text(scope.layout.app.text)])) }
        let closing =
            switch scope.source {
            case .counted:
                Query.closePeriod([.integer(metric), period.start.parameter, period.end.parameter])
            case .parts:
                Query.deleteOpenRollup([.integer(metric), period.kind.parameter, period.start.parameter])
            }
        return try session.pipeline([Query.lockMetric([.integer(metric)]), closing])[1].count == 1
    }

    /// Takes a released period off the list of open ones, puts the coarser ones on it, and lets go of what was only known
    /// for its release.
    static func letGo(
        of scope: ReleaseScope, _ evidence: ReleaseEvidence, _ metric: Int64, _ session: Session
    ) throws {
        let (layout, period) = (scope.layout, scope.period)
        let isNeeded: Bool
        switch scope.source {
        case .counted(let rollups):
            for rollup in rollups {
                try session.query(
                    Query.openRollup([
                        .integer(metric), rollup.kind.parameter, rollup.start.parameter, rollup.end.parameter,
                    ]))
            }
            try session.query(Query.deleteOpenPeriod([.integer(metric), period.start.parameter]))
            isNeeded = !rollups.isEmpty
        case .parts:
            let key: [Parameter] = [.integer(metric), period.start.parameter, period.end.parameter]
            isNeeded = try session.query(Query.findOpenRollup(key)).flag(0, 0)
        }
        let counted = evidence.parts.map(\.period)
        let names = scope.ties.map { tiedNames($0, layout) } ?? []
        if !names.isEmpty {
            try keep(counted, of: layout, metric, for: names, session)
        } else if !isNeeded {
            for period in counted { try deleteDistinct(period, metric, session) }
        }
        if scope.ties != nil { try forgetKept(app: layout.app, session) }
    }

    static func deleteDistinct(_ period: Period, _ metric: Int64, _ session: Session) throws {
        _ = try session.pipeline([
            Query.deleteDistinct([.integer(metric), period.kind.parameter, period.start.parameter]),
            Query.deleteTop([.integer(metric), period.start.parameter]),
        ])
    }
}
