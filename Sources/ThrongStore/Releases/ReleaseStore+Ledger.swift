internal import ThrongPlan
@_spi(Ledger) internal import ThrongRelease

extension ReleaseStore {
    /// Restores a release from stored rows; there is no other way. Its numbers have the digest they were released with,
    /// or are what age left of them and fit the header.
    static func restored(_ stored: StoredRelease, _ session: Session) throws -> Release {
        let cells = try session.run(Query.selectReleasedCells(release: stored.id))
        guard stored.dropped.isEmpty else {
            return try Release(decayed: stored.header, dropped: stored.dropped, cells: cells)
        }
        return try Release(restoring: stored.header, cells: cells, digest: ReleaseDigest(hex: stored.digest.lowerHex))
    }
}

extension Query {
    /// The cells of a release, by margin and cell; it is here because only the ledger makes cells of rows.
    static func selectReleasedCells(release: Int64) -> RowQuery<Release.Row> {
        RowQuery(released_cell_select_sql, release) {
            Release.Row(
                margin: $0, cell: $1, count: $2, sums: $3, reach: ($4 as Int64?).map { DeviceFloor(devices: $0) },
                firsts: $5)
        }
    }
}
