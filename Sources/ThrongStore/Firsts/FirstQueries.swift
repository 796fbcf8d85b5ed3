internal import ThrongPlan
internal import ThrongRelease
internal import ThrongWire

/// Keeps firsts that devices proved.
struct InsertProvedFirsts: Command {
    static let text = Query("proved_first.insert", PackageResources.proved_first_insert_sql)

    /// The firsts, each with the schema's number of its layout.
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

/// The number of devices that proved to be in each cell of a period that was not released.
struct CountProvedFirsts: RowQuery {
    static let text = Query("proved_first.count", PackageResources.proved_first_count_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }

    func row(_ columns: inout RowReader) throws -> ProvedDevices.Row {
        ProvedDevices.Row(margin: try columns.margin(), cell: try columns.cell(), devices: try columns.integer())
    }
}

/// Forgets the tags of a period that is released.
struct DeleteProvedFirsts: Command {
    static let text = Query("proved_first.delete", PackageResources.proved_first_delete_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }
}

/// Forgets tags of periods that are over and have no release to come.
struct ExpireProvedFirsts: Command {
    static let text = Query("proved_first.expire", PackageResources.proved_first_expire_sql)

    let before: UnixSeconds

    var parameters: [Parameter] { [before.parameter] }
}
