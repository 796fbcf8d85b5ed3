internal import ThrongPlan
internal import ThrongRelease
internal import ThrongWire

extension Query {
    static func insertProvedFirsts(rows: [(metric: Int64, first: ProvedFirstRow)]) -> Statement {
        Statement(
            "proved_first.insert", PackageResources.proved_first_insert_sql,
            rows.map(\.metric), rows.map(\.first.kind.code), rows.map(\.first.start),
            rows.map { Int32(bitPattern: $0.first.margin.bits) }, rows.map { Int32(bitPattern: $0.first.cell.value) },
            rows.map { $0.first.tag.bytes.lowerHex }.joined(separator: ","), rows.map { $0.first.isOwn ? 1 : 0 })
    }

    static func countProvedFirsts(metric: Int64, period: Period) -> RowQuery<ProvedDevices.Row> {
        RowQuery(
            "proved_first.count", PackageResources.proved_first_count_sql, metric, period.kind, period.start
        ) { ProvedDevices.Row(margin: $0, cell: $1, devices: $2) }
    }

    static func deleteProvedFirsts(metric: Int64, period: Period) -> Statement {
        Statement("proved_first.delete", PackageResources.proved_first_delete_sql, metric, period.kind, period.start)
    }

    static func expireProvedFirsts(before: UnixSeconds) -> Statement {
        Statement("proved_first.expire", PackageResources.proved_first_expire_sql, before)
    }
}
