internal import ThrongPlan
internal import ThrongPostgres

/// Deletes published numbers that have reached their age; says how many cells went.
struct DropReleased: RowQuery {
    static let text = Query("released_cell.drop", PackageResources.released_cell_drop_sql)

    let metric: Int64
    /// The one whose numbers go; nil takes all.
    let dimension: DimensionName?
    /// Of releases of shorter periods only; nil takes all.
    let shorter: PeriodKind?
    /// The latest end of the periods.
    let before: UnixSeconds
    /// The periods began before it; nil takes all.
    let began: UnixSeconds?
    /// By which promise, for the ledger.
    let term: String

    var parameters: [Parameter] {
        [
            .integer(metric), .text(orNull: dimension?.text), shorter.map { Int64($0.code).parameter } ?? .null,
            .instant(before), began.map { $0.parameter } ?? .null, .text(term),
        ]
    }

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The earliest end of a period of which one step has still to take numbers, and of how many releases.
struct SelectDue: RowQuery {
    static let text = Query("release.select_due", PackageResources.release_select_due_sql)

    let metric: Int64
    let dimension: DimensionName?
    let shorter: PeriodKind?
    let began: UnixSeconds?

    var parameters: [Parameter] {
        [
            .integer(metric), .text(orNull: dimension?.text), shorter.map { Int64($0.code).parameter } ?? .null,
            began.map { $0.parameter } ?? .null,
        ]
    }

    func row(_ columns: inout RowReader) throws -> (end: UnixSeconds?, releases: Int64) {
        (try columns.optionalTime(), try columns.integer())
    }
}

/// The oldest numbers of each metric of an app.
struct SelectOldest: RowQuery {
    static let text = Query("release.select_oldest", PackageResources.release_select_oldest_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> (metric: MetricName, end: UnixSeconds, releases: Int64) {
        (MetricName(try columns.text()), try columns.time(), try columns.integer())
    }
}

/// Gives up what nobody has released.
struct ExpireOpen: Command {
    static let text = Query("open_period.expire", PackageResources.open_period_expire_sql)

    let metric: Int64
    /// The latest end of what goes.
    let before: UnixSeconds
    /// What goes began before it; nil takes all.
    let began: UnixSeconds?

    var parameters: [Parameter] { [.integer(metric), .instant(before), began.map { $0.parameter } ?? .null] }
}

/// Drops the partitions that are needed no longer; says which tables went.
struct DropPartitions: RowQuery {
    static let text = Query("partition.drop", PackageResources.partition_drop_sql)

    let countersBefore: UnixSeconds
    let distinctBefore: UnixSeconds
    let abandonedBefore: UnixSeconds

    var parameters: [Parameter] { [.instant(countersBefore), .instant(distinctBefore), .instant(abandonedBefore)] }

    func row(_ columns: inout RowReader) throws -> String { try columns.text() }
}

/// Deletes the largest contributions that belong to no period that can still be released.
struct DeleteAbandonedTop: Command {
    static let text = Query(
        "top_contribution.delete_abandoned", PackageResources.top_contribution_delete_abandoned_sql)
}

/// Writes down that something went that is not in PostgreSQL.
struct NoteDeletion: Command {
    static let text = Query("deletion.note", PackageResources.deletion_note_sql)

    let app: String
    let kind: String
    let subject: String
    let term: String
    let rows: Int64

    var parameters: [Parameter] { [.text(app), .text(kind), .text(subject), .text(term), .integer(rows)] }
}

/// Which of these tables are there.
struct SelectStanding: RowQuery {
    static let text = Query("partition.standing", PackageResources.partition_standing_sql)

    /// Of schema throng.
    let names: [String]

    // Names hold no comma.
    var parameters: [Parameter] { [.text(names.joined(separator: ","))] }

    func row(_ columns: inout RowReader) throws -> String { try columns.text() }
}
