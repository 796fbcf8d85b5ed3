internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension Query {
    static let copyWithheldCells = Query("withheld_cell.copy", PackageResources.withheld_cell_copy_sql)
}

/// Why a cell of a release is withheld; none where it is not.
struct SelectReason: RowQuery {
    static let text = Query("withheld_cell.select", PackageResources.withheld_cell_select_sql)

    let metric: Int64
    let period: Period
    let margin: Margin
    let cell: CellIndex
    /// Of the layout: where the other cell's period begins and ends.
    let timeZone: String

    var parameters: [Parameter] {
        [
            .integer(metric), period.kind.parameter, period.start.parameter, .integer(Int64(margin.bits)),
            .integer(Int64(cell.value)),
        ]
    }

    func row(_ columns: inout RowReader) throws -> WithholdingReason {
        let (code, devices) = (try columns.integer(), try columns.optionalInteger())
        let other = try other(&columns)
        guard let reason = WithholdingReason(code: code, devices: devices, other: other) else { throw Self.unexpected }
        return reason
    }

    /// The cell that the cell is withheld for; nil where the columns are null.
    private func other(_ columns: inout RowReader) throws -> CellAddress? {
        let (code, start) = (try columns.optionalInteger(), try columns.optionalTime())
        let (margin, cell) = (try columns.optionalInteger(), try columns.optionalInteger())
        guard let code else { return nil }
        guard let start, let margin, let cell, let kind = PeriodKind(code: code),
            let calendar = PeriodCalendar(timeZone: timeZone)
        else { throw Self.unexpected }
        return CellAddress(
            period: calendar.period(kind, containing: start), margin: Margin(bits: UInt32(truncatingIfNeeded: margin)),
            cell: CellIndex(UInt32(truncatingIfNeeded: cell)))
    }
}

/// Whether the reasons of a release are still known; one without withheld cells counts as forgotten.
struct FindReasons: RowQuery {
    static let text = Query("withheld_cell.find", PackageResources.withheld_cell_find_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.kind.parameter, period.start.parameter] }

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}
