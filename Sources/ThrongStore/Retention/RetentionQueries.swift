internal import ThrongPlan

/// Deletes published numbers that have reached their age; returns the number of cells deleted.
struct DropReleased: RowQuery {
    static let text = Query("released_cell.drop", PackageResources.released_cell_drop_sql)

    let metric: Int64
    /// The dimension whose numbers are deleted; nil takes all.
    let dimension: DimensionName?
    /// The kind of period below which releases lose numbers; nil takes all.
    let shorter: PeriodKind?
    /// The latest end of the periods.
    let before: UnixSeconds
    /// The time before which the periods began; nil takes all.
    let began: UnixSeconds?
    /// The promise, for the ledger.
    let term: String

    var parameters: [Parameter] {
        [
            .integer(metric), .text(orNull: dimension?.text), shorter.map { Int64($0.code).parameter } ?? .null,
            .instant(before), began.map { $0.parameter } ?? .null, .text(term),
        ]
    }

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The earliest end of a period that one step has still to delete numbers of, and the number of such releases.
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

/// Gives up open periods that nothing has released.
struct ExpireOpen: Command {
    static let text = Query("open_period.expire", PackageResources.open_period_expire_sql)

    let metric: Int64
    /// The latest end of the periods that are given up.
    let before: UnixSeconds
    /// The time before which they began; nil takes all.
    let began: UnixSeconds?

    var parameters: [Parameter] { [.integer(metric), .instant(before), began.map { $0.parameter } ?? .null] }
}

/// Drops the partitions that are needed no longer; returns the names of the tables.
struct DropPartitions: RowQuery {
    static let text = Query("partition.drop", PackageResources.partition_drop_sql)

    let countersBefore: UnixSeconds
    let distinctBefore: UnixSeconds
    let abandonedBefore: UnixSeconds

    var parameters: [Parameter] { [.instant(countersBefore), .instant(distinctBefore), .instant(abandonedBefore)] }

    func row(_ columns: inout RowReader) throws -> String { try columns.text() }
}

/// Notes a deletion of data that is not in PostgreSQL.
struct NoteDeletion: Command {
    static let text = Query("deletion.note", PackageResources.deletion_note_sql)

    let app: String
    let kind: String
    let subject: String
    let term: String
    let rows: Int64

    var parameters: [Parameter] { [.text(app), .text(kind), .text(subject), .text(term), .integer(rows)] }
}

/// Those of these tables that are there.
struct SelectStanding: RowQuery {
    static let text = Query("partition.standing", PackageResources.partition_standing_sql)

    /// The names of tables of schema throng.
    let names: [String]

    // Names hold no comma.
    var parameters: [Parameter] { [.text(names.joined(separator: ","))] }

    func row(_ columns: inout RowReader) throws -> String { try columns.text() }
}
