internal import Foundation
internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyReleasedCells = Statement("released_cell.copy", PackageResources.released_cell_copy_sql)

    static func insertRelease(metric: Int64, header: ReleaseHeader, digest: [UInt8]) -> RowQuery<Int64> {
        let (layout, period) = (header.layout, header.period)
        return RowQuery(
            "release.insert", PackageResources.release_insert_sql,
            metric, layout.app, layout.metric, period.kind, period.start, period.end, header.threshold.devices,
            header.plan.hex, String(decoding: header.json, as: UTF8.self), digest)
    }

    static func selectReleaseNames() -> RowQuery<(app: AppName, metric: MetricName, kind: PeriodKind)> {
        RowQuery("release.select_names", PackageResources.release_select_names_sql) { ($0, $1, $2) }
    }

    static func selectReleases(
        app: AppName, metric: MetricName, kind: PeriodKind, from: UnixSeconds, to: UnixSeconds
    ) -> RowQuery<StoredRelease> {
        RowQuery(
            "release.select", PackageResources.release_select_sql, app, metric, kind, from, to,
            row: StoredRelease.init)
    }

    static func selectKnownReleases(
        app: AppName, metric: MetricName, period: Period, from: UnixSeconds
    ) -> RowQuery<StoredRelease> {
        RowQuery(
            "release.select_known", PackageResources.release_select_known_sql,
            app, metric, period.kind, from, period.start, period.start, row: StoredRelease.init)
    }

    static func selectFirstRelease(app: AppName, metric: MetricName, period: Period) -> RowQuery<UnixSeconds?> {
        RowQuery(
            "release.select_first", PackageResources.release_select_first_sql, app, metric, period.kind, period.start)
    }

    static func selectReleasesWithin(
        metric: Int64, period: Period
    ) -> RowQuery<(release: StoredRelease, isDecayed: Bool)> {
        RowQuery(
            "release.select_within", PackageResources.release_select_within_sql, metric, period.start, period.end
        ) { header, id, isDecayed, digest in
            (StoredRelease(id: id, header: header, digest: digest, dropped: []), isDecayed)
        }
    }
}

/// A release as the ledger has it, without its cells.
struct StoredRelease {
    /// The schema's number.
    let id: Int64
    let header: ReleaseHeader
    let digest: [UInt8]
    /// The dimensions that age has taken.
    let dropped: Set<DimensionName>
}

extension ReleaseHeader: ColumnValue {
    init(reading row: inout RowReader) throws { try self.init(json: Data(try row.bytes())) }
}
