internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyWithheldCells = Statement("withheld_cell.copy", PackageResources.withheld_cell_copy_sql)

    static func selectReason(
        metric: Int64, period: Period, margin: Margin, cell: CellIndex
    ) -> RowQuery<WithholdingReason> {
        RowQuery(
            "withheld_cell.select", PackageResources.withheld_cell_select_sql,
            metric, period.kind, period.start, Int64(margin.bits), Int64(cell.value))
    }

    static func findReasons(metric: Int64, period: Period) -> RowQuery<Bool> {
        RowQuery("withheld_cell.find", PackageResources.withheld_cell_find_sql, metric, period.kind, period.start)
    }
}
