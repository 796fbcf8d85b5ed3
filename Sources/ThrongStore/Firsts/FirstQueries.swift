internal import ThrongPlan
internal import ThrongRelease
internal import ThrongWire

extension Query {
    static func insertProvedFirsts(rows: [(metric: Int64, first: ProvedFirstRow)]) -> Statement {
        Statement(
            "proved_first.insert", PackageResources.proved_first_insert_sql,
            .integers(rows.map(\.metric)), .integers(rows.map { Int64($0.first.kind.code) }),
            .integers(rows.map(\.first.start.value)),
            .integers(rows.map { Int64(Int32(bitPattern: $0.first.margin.bits)) }),
            .integers(rows.map { Int64(Int32(bitPattern: $0.first.cell.value)) }),
            .text(rows.map { $0.first.tag.bytes.lowerHex }.joined(separator: ",")),
            .integers(rows.map { $0.first.isOwn ? 1 : 0 }))
    }

    static func countProvedFirsts(metric: Int64, period: Period) -> RowQuery<ProvedDevices.Row> {
        RowQuery(
            "proved_first.count", PackageResources.proved_first_count_sql,
            .integer(metric), period.kind.parameter, period.start.parameter
        ) { columns in
            ProvedDevices.Row(margin: try columns.margin(), cell: try columns.cell(), devices: try columns.integer())
        }
    }

    static func deleteProvedFirsts(metric: Int64, period: Period) -> Statement {
        Statement(
            "proved_first.delete", PackageResources.proved_first_delete_sql,
            .integer(metric), period.kind.parameter, period.start.parameter)
    }

    static func expireProvedFirsts(before: UnixSeconds) -> Statement {
        Statement("proved_first.expire", PackageResources.proved_first_expire_sql, before.parameter)
    }
}
