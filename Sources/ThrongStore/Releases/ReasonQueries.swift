internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyWithheldCells = Statement("withheld_cell.copy", PackageResources.withheld_cell_copy_sql)
}

extension Query {
    static func selectReason(metric: Int64, period: Period, margin: Margin, cell: CellIndex) -> RowQuery<
        WithholdingReason
    > {
        RowQuery(
            "withheld_cell.select", PackageResources.withheld_cell_select_sql,
            .integer(metric), period.kind.parameter, period.start.parameter, .integer(Int64(margin.bits)),
            .integer(Int64(cell.value))
        ) { columns in
            let (code, devices) = (try columns.integer(), try columns.optionalInteger())
            guard let reason = WithholdingReason(code: code, devices: devices) else { throw columns.unexpected }
            return reason
        }
    }

    static func findReasons(metric: Int64, period: Period) -> RowQuery<Bool> {
        RowQuery(
            "withheld_cell.find", PackageResources.withheld_cell_find_sql,
            .integer(metric), period.kind.parameter, period.start.parameter
        ) { try $0.flag() }
    }
}
