internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// The two largest contributions to each sum by tracked cell and window, over all daemons.
    static func top(
        _ layout: MetricLayout,
        _ period: Period,
        _ metric: Int64,
        _ session: Session
    ) throws -> [StoredTop] {
        guard !layout.sums.isEmpty else { return [] }
        let rows = try session.query(Query.selectTop([.integer(metric), period.start.parameter]))
        return try rows.indices.map { row in
            StoredTop(
                margin: try margin(rows, row, 0),
                cell: try cell(rows, row, 1),
                measure: MeasureIndex(Int16(truncatingIfNeeded: try rows.integer(row, 2))),
                window: WindowNumber(try rows.integer(row, 3)),
                largest: try rows.integer(row, 4),
                second: try rows.integer(row, 5))
        }
    }
}
