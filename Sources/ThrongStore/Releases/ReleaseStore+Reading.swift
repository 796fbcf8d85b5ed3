internal import Foundation
public import ThrongPlan
public import ThrongRelease

extension ReleaseStore {
    /// The releases of a metric whose periods start within a range, by start; each is checked against its digest.
    ///
    /// What age took from a release is missing, and so are groupings that it took whole; a release of which age left
    /// nothing is left out. A metric whose layout changed within a period has one release a layout.
    ///
    /// - Parameters:
    ///   - from: First start that counts. Unit: Unix seconds.
    ///   - to: First start that no longer counts. Unit: Unix seconds.
    /// - Throws: ``ReleaseError/altered(metric:period:)`` where a stored number was changed; ``StoreError``.
    public func releases(
        app: AppName,
        metric: MetricName,
        periodKind: PeriodKind,
        from: Int64,
        to: Int64
    ) async throws -> [Release] {
        try await connection.run { session in
            // One snapshot, so that retention can't come between a release and its cells.
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                let rows = try session.query(
                    Query.selectReleases([
                        .text(app.text), .text(metric.text), periodKind.parameter, .instant(from), .instant(to),
                    ]))
                return try rows.indices.map { row in
                    let cells = try Self.cells(of: try rows.integer(row, 0), session)
                    let header = try ReleaseHeader(json: Data(try rows.bytes(row, 1)))
                    let dropped = try rows.text(row, 3).split(separator: ",").map { DimensionName(String($0)) }
                    guard dropped.isEmpty else {
                        return Release(decayed: header, dropped: Set(dropped), cells: cells)
                    }
                    return try Release(
                        restoring: header,
                        cells: cells,
                        digest: ReleaseDigest(hex: LowerHex.text(try rows.bytes(row, 2))))
                }
            }
        }
    }

    private static func cells(of release: Int64, _ session: Session) throws -> [Release.Row] {
        let rows = try session.query(Query.selectReleasedCells([.integer(release)]))
        return try rows.indices.map { row in
            Release.Row(
                margin: try margin(rows, row, 0),
                cell: try cell(rows, row, 1),
                count: try rows.integer(row, 2),
                sums: try rows.integers(row, 3),
                reach: rows.isNull(row, 4) ? nil : DeviceFloor(devices: try rows.integer(row, 4)))
        }
    }
}
