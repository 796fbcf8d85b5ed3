internal import Foundation
internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyReleasedCells = Statement(released_cell_copy_sql)

    static func insertRelease(metric: Int64, header: ReleaseHeader, digest: [UInt8]) -> RowQuery<Int64> {
        let (layout, period) = (header.layout, header.period)
        return RowQuery(
            release_insert_sql, metric, layout.app, layout.metric, period.kind, period.start, period.end,
            header.threshold.devices, header.plan.hex, String(decoding: header.json, as: UTF8.self), digest)
    }

    static func selectReleaseNames() -> RowQuery<(app: AppName, metric: MetricName, kind: PeriodKind)> {
        RowQuery(release_select_names_sql) { ($0, $1, $2) }
    }

    static func selectReleases(
        app: AppName, metric: MetricName, kind: PeriodKind, from: UnixSeconds, to: UnixSeconds
    ) -> RowQuery<StoredRelease> {
        RowQuery(release_select_sql, app, metric, kind, from, to, row: StoredRelease.init)
    }

    static func selectKnownReleases(
        app: AppName, metric: MetricName, period: Period, from: UnixSeconds
    ) -> RowQuery<StoredRelease> {
        let start = period.start
        return RowQuery(release_select_known_sql, app, metric, period.kind, from, start, start, row: StoredRelease.init)
    }

    static func selectFirstRelease(app: AppName, metric: MetricName, period: Period) -> RowQuery<UnixSeconds?> {
        RowQuery(release_select_first_sql, app, metric, period.kind, period.start)
    }

    static func selectReleasesWithin(
        metric: Int64, period: Period
    ) -> RowQuery<(release: StoredRelease, isDecayed: Bool)> {
        RowQuery(release_select_within_sql, metric, period.start, period.end) { header, id, isDecayed, digest in
            (StoredRelease(id: id, header: header, digest: digest, dropped: []), isDecayed)
        }
    }

    static func selectOpenPeriods(
        app: AppName
    ) -> RowQuery<(layout: StoredLayout, start: UnixSeconds, end: UnixSeconds)> {
        RowQuery(open_period_select_sql, app) { ($0, $1, $2) }
    }

    static func deleteOpenPeriod(metric: Int64, period: Period) -> Statement {
        Statement(open_period_delete_sql, metric, period.start)
    }

    static func lockMetric(metric: Int64) -> Statement { Statement(metric_lock_sql, metric) }

    /// Closes a period for its release; touches one row unless it was closed before.
    static func closePeriod(metric: Int64, period: Period) -> Statement {
        Statement(closed_period_insert_sql, metric, period.start, period.end)
    }

    static func insertOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(open_rollup_insert_sql, metric, period.kind, period.start, period.end)
    }

    static func deleteOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(open_rollup_delete_sql, metric, period.kind, period.start)
    }

    /// Deletes an open rollup for its release; touches one row unless it was released or given up before, or a part of it
    /// is open.
    static func closeOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(open_rollup_close_sql, metric, period.kind, period.start)
    }

    /// Closes those of a layout's periods that were never opened.
    static func closeUncounted(metric: Int64, periods: [Period]) -> Statement {
        Statement(closed_period_insert_all_sql, metric, periods.map(\.start), periods.map(\.end))
    }

    static func selectOpenRollups(app: AppName) -> RowQuery<OpenRollup> {
        RowQuery(open_rollup_select_sql, app) { (stored: StoredLayout, period, isOpen) in
            OpenRollup(layout: try stored.layout(), period: period, hasOpenParts: isOpen)
        }
    }

    static func findOpenRollup(metric: Int64, period: Period) -> RowQuery<Bool> {
        RowQuery(open_rollup_find_sql, metric, period.start, period.end)
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
