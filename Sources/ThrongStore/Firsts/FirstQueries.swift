internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease
internal import ThrongWire

/// Keeps firsts that devices proved.
struct InsertProvedFirsts: Command {
    static let text = Query("proved_first.insert", PackageResources.proved_first_insert_sql)

    /// Each with the schema's number of its layout.
    let rows: [(metric: Int64, first: ProvedFirstRow)]

    var parameters: [Parameter] {
        [
            .integers(rows.map(\.metric)), .integers(rows.map { Int64($0.first.kind.code) }),
            .integers(rows.map(\.first.start.value)),
            .integers(rows.map { Int64(Int32(bitPattern: $0.first.margin.bits)) }),
            .integers(rows.map { Int64(Int32(bitPattern: $0.first.cell.value)) }),
            .text(rows.map { $0.first.tag.bytes.lowerHex }.joined(separator: ",")),
            .integers(rows.map { $0.first.isOwn ? 1 : 0 }),
        ]
    }
}

/// Counts the devices that proved to be in a period's cells, and forgets their tags.
struct CountProvedFirsts: Command {
    static let text = Query("proved_first.count", PackageResources.proved_first_count_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] {
        [.integer(metric), period.kind.parameter, period.start.parameter, period.end.parameter]
    }
}

/// The devices that proved to be in the cells of a period.
struct SelectProvedCounts: RowQuery {
    static let text = Query("proved_count.select", PackageResources.proved_count_select_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }

    func row(_ columns: inout RowReader) throws -> ProvedDevices.Row {
        ProvedDevices.Row(margin: try columns.margin(), cell: try columns.cell(), devices: try columns.integer())
    }
}

/// Deletes numbers of devices about which nothing is to be decided any more.
struct ForgetProvedCounts: Command {
    static let text = Query("proved_count.forget", PackageResources.proved_count_forget_sql)

    let metric: Int64

    var parameters: [Parameter] { [.integer(metric)] }
}

/// Forgets tags of periods that are over, and of which nothing is to be released any more.
struct ExpireProvedFirsts: Command {
    static let text = Query("proved_first.expire", PackageResources.proved_first_expire_sql)

    let before: UnixSeconds

    var parameters: [Parameter] { [before.parameter] }
}

/// Deletes numbers of devices of periods about which nothing will be decided.
struct ExpireProvedCounts: Command {
    static let text = Query("proved_count.expire", PackageResources.proved_count_expire_sql)

    let before: UnixSeconds

    var parameters: [Parameter] { [before.parameter] }
}
