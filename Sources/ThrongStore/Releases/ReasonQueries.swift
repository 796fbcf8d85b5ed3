internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyWithheldCells = Query("withheld_cell.copy", PackageResources.withheld_cell_copy_sql)
}

/// The reason why a cell of a release is withheld; none where it is not.
struct SelectReason: RowQuery {
    static let text = Query("withheld_cell.select", PackageResources.withheld_cell_select_sql)

    let metric: Int64
    let period: Period
    let margin: Margin
    let cell: CellIndex

    var parameters: [Parameter] {
        [
            .integer(metric), period.kind.parameter, period.start.parameter, .integer(Int64(margin.bits)),
            .integer(Int64(cell.value)),
        ]
    }

    func row(_ columns: inout RowReader) throws -> WithholdingReason {
        let (code, devices) = (try columns.integer(), try columns.optionalInteger())
        guard let reason = WithholdingReason(code: code, devices: devices) else { throw Self.unexpected }
        return reason
    }
}

/// True if the reasons of a release are still known; a release without withheld cells counts as forgotten.
struct FindReasons: RowQuery {
    static let text = Query("withheld_cell.find", PackageResources.withheld_cell_find_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}
