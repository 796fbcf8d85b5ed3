internal import ThrongPlan
internal import ThrongPostgres

/// Lets one release at a time of an app's metrics that count the same events through, to the end of the transaction.
struct LockTies: Command {
    static let text = Query("release.lock_ties", PackageResources.release_lock_ties_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }
}

/// What was released of an app within or around a stretch of time.
struct SelectOverlappingReleases: RowQuery {
    static let text = Query("release.select_overlapping", PackageResources.release_select_overlapping_sql)

    let app: AppName
    /// Its first second.
    let from: UnixSeconds
    /// The first second after it.
    let to: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), .instant(from), .instant(to)] }

    func row(_ columns: inout RowReader) throws -> OverlappingRelease {
        let (id, metric) = (try columns.integer(), try columns.integer())
        return OverlappingRelease(
            metric: metric,
            release: StoredRelease(id: id, header: try columns.releaseHeader(), digest: try columns.bytes()),
            isDecayed: try columns.flag())
    }
}

/// A release that shares time with a period.
struct OverlappingRelease {
    let metric: Int64
    let release: StoredRelease
    /// Whether age has taken anything of it.
    let isDecayed: Bool
}

/// The periods of a layout within a stretch of time that were counted, released or not, by their start.
struct SelectCountedPeriods: RowQuery {
    static let text = Query("closed_period.select_stored", PackageResources.closed_period_select_stored_sql)

    let metric: Int64
    /// Of the layout.
    let kind: PeriodKind
    /// The earliest start.
    let from: UnixSeconds
    /// The latest end.
    let to: UnixSeconds

    var parameters: [Parameter] { [.integer(metric), .instant(from), .instant(to)] }

    func row(_ columns: inout RowReader) throws -> Period {
        Period(kind: kind, start: try columns.time(), end: try columns.time())
    }
}

/// Keeps the distinct counts and largest contributions of a released period for metrics that count the same events.
struct KeepPeriod: Command {
    static let text = Query("kept_period.insert", PackageResources.kept_period_insert_sql)

    let metric: Int64
    let period: Period
    /// Those that it waits for.
    let names: Set<MetricName>

    var parameters: [Parameter] {
        [
            .integer(metric), period.kind.parameter, period.start.parameter, period.end.parameter,
            .text(names.map(\.text).sorted().joined(separator: ",")),
        ]
    }
}

/// Deletes what was kept of an app's released periods and what nothing that is open waits for any more.
struct ForgetKeptPeriods: Command {
    static let text = Query("kept_period.forget", PackageResources.kept_period_forget_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }
}
