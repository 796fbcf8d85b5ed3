internal import ThrongPlan
@_spi(Ledger) internal import ThrongRelease
internal import ThrongWire

extension ReleaseStore {
    /// Restores a release from stored rows; there is no other way. Its numbers have the digest they were released with,
    /// or are what age left of them and fit the header.
    ///
    /// - Throws: ``ReleaseError/altered(metric:period:)``; ``PostgresError``.
    static func restored(_ stored: StoredRelease, _ session: Session) throws -> Release {
        let cells = try session.run(Query.selectReleasedCells(release: stored.id))
        guard stored.dropped.isEmpty else {
            return try Release(decayed: stored.header, dropped: stored.dropped, cells: cells)
        }
        return try Release(
            restoring: stored.header, cells: cells, digest: ReleaseDigest(hex: stored.digest.lowerHex))
    }
}

extension Query {
    /// The cells of a release, by margin and cell; it is here because only the ledger makes cells of rows.
    static func selectReleasedCells(release: Int64) -> RowQuery<Release.Row> {
        RowQuery("released_cell.select", PackageResources.released_cell_select_sql, .integer(release)) { columns in
            Release.Row(
                margin: try columns.margin(), cell: try columns.cell(), count: try columns.integer(),
                sums: try columns.integers(),
                reach: try columns.optionalInteger().map { DeviceFloor(devices: $0) },
                firsts: try columns.optionalInteger())
        }
    }
}
