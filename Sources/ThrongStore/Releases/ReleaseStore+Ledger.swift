internal import ThrongPlan
internal import ThrongPostgres
@_spi(Ledger) internal import ThrongRelease
internal import ThrongWire

extension ReleaseStore {
    /// The one way from stored rows back to published numbers: they have the digest with which they left, or are what age
    /// left of them and fit the header.
    ///
    /// - Parameter dropped: the dimensions that age has taken.
    /// - Throws: ``ReleaseError/altered(metric:period:)``; ``PostgresError``.
    static func restored(
        _ release: Int64, _ header: ReleaseHeader, digest: [UInt8], dropped: Set<DimensionName> = [],
        _ session: Session
    ) throws -> Release {
        let rows = try session.query(Query.selectReleasedCells([.integer(release)]))
        let cells = try rows.indices.map { row in
            Release.Row(
                margin: try margin(rows, row, 0),
                cell: try cell(rows, row, 1),
                count: try rows.integer(row, 2),
                sums: try rows.integers(row, 3),
                reach: rows.isNull(row, 4) ? nil : DeviceFloor(devices: try rows.integer(row, 4)),
                firsts: rows.isNull(row, 5) ? nil : try rows.integer(row, 5))
        }
        guard dropped.isEmpty else { return try Release(decayed: header, dropped: dropped, cells: cells) }
        return try Release(restoring: header, cells: cells, digest: ReleaseDigest(hex: digest.lowerHex))
    }
}
