internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// Reads what a release is decided on.
    static func evidence(
        for scope: ReleaseScope, _ metric: Int64, _ session: Session
    ) throws -> ReleaseEvidence {
        let layout = scope.layout
        var earlier: [Release] = []
        var periods = [scope.period]
        if case .parts = scope.source {
            earlier = try releases(within: scope.period, of: layout, metric, session)
            periods = earlier.map(\.header.period).filter { $0.kind == layout.period }
        }
        return ReleaseEvidence(
            layout: layout,
            period: scope.period,
            parts: try periods.map { try cube(layout, $0, metric, session) },
            earlier: earlier,
            tied: try scope.ties.map { try tied(by: $0, layout, scope.period, metric, session) } ?? [],
            terms: try terms(of: layout, session))
    }

    static func cube(
        _ layout: MetricLayout,
        _ period: Period,
        _ metric: Int64,
        _ session: Session
    ) throws -> StoredCube {
        let key: [Parameter] = [.integer(metric), period.kind.parameter, period.start.parameter]
        let counters = try session.query(Query.selectCounters(key))
        let distinct = try session.query(Query.selectDistinct(key))
        return StoredCube(
            // Read after the counters: a value is counted in its slot only once its label is there.
            layout: try named(layout, session),
            period: period,
            counters: try counters.indices.map { row in
                StoredCounter(
                    measure: MeasureIndex(Int16(truncatingIfNeeded: try counters.integer(row, 0))),
                    cell: try Self.cell(counters, row, 1),
                    value: try counters.integer(row, 2))
            },
            distinct: try distinct.indices.map { row in
                StoredDistinct(
                    margin: try Self.margin(distinct, row, 0),
                    cell: try Self.cell(distinct, row, 1),
                    window: WindowNumber(try distinct.integer(row, 2)),
                    devices: try distinct.integer(row, 3))
            },
            top: try Self.top(layout, period, metric, session))
    }

    static func margin(_ rows: Rows, _ row: Int, _ column: Int) throws -> Margin {
        Margin(bits: UInt32(truncatingIfNeeded: try rows.integer(row, column)))
    }

    static func cell(_ rows: Rows, _ row: Int, _ column: Int) throws -> CellIndex {
        CellIndex(UInt32(truncatingIfNeeded: try rows.integer(row, column)))
    }
}
