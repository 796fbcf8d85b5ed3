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
        guard let reason = try columns.reason(timeZone) else { throw Self.unexpected }
        return reason
    }
}

/// Why the cells of a release are withheld, by margin and cell.
struct SelectReasons: RowQuery {
    static let text = Query("withheld_cell.select_all", PackageResources.withheld_cell_select_all_sql)

    let release: Int64
    /// Of the layout: where other cells' periods begin and end.
    let timeZone: String

    var parameters: [Parameter] { [.integer(release)] }

    func row(_ columns: inout RowReader) throws -> WithheldCell {
        let (margin, cell) = (try columns.margin(), try columns.cell())
        guard let reason = try columns.reason(timeZone) else { throw Self.unexpected }
        return WithheldCell(margin: margin, cell: cell, reason: reason)
    }
}

extension RowReader {
    /// A reason, the floor, and the cell that the cell is withheld for; nil where they do not fit together.
    fileprivate mutating func reason(_ timeZone: String) throws -> WithholdingReason? {
        let (code, devices) = (try integer(), try optionalInteger())
        let (kind, start) = (try optionalInteger(), try optionalTime())
        let (margin, cell) = (try optionalInteger(), try optionalInteger())
        guard let kind else { return WithholdingReason(code: code, devices: devices, other: nil) }
        guard let start, let margin, let cell, let kind = PeriodKind(code: kind),
            let calendar = PeriodCalendar(timeZone: timeZone)
        else { return nil }
        return WithholdingReason(
            code: code, devices: devices,
            other: CellAddress(
                period: calendar.period(kind, containing: start),
                margin: Margin(bits: UInt32(truncatingIfNeeded: margin)),
                cell: CellIndex(UInt32(truncatingIfNeeded: cell))))
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
