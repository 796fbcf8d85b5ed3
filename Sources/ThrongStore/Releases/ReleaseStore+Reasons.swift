package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease

extension ReleaseStore {
    /// Why an occupied cell was withheld; nil where it was published, is empty, or the reasons have gone with the
    /// counters.
    package func reason(
        _ layout: MetricLayout, _ period: Period, margin: Margin, cell: CellIndex
    ) async throws -> WithholdingReason? {
        try await connection.run { session in
            let rows = try session.query(
                Query.selectWithheldCell([
                    .integer(try Self.metricID(of: layout, session)), period.kind.parameter, period.start.parameter,
                    .integer(Int64(margin.bits)), .integer(Int64(cell.value)),
                ]))
            guard rows.count == 1 else { return nil }
            var other: CellAddress?
            if !rows.isNull(0, 2) {
                guard let kind = PeriodKind(code: try rows.integer(0, 2)),
                    let calendar = PeriodCalendar(timeZone: layout.timeZone)
                else { throw PostgresError.unexpectedAnswer(query: Query.selectWithheldCell.name) }
                other = CellAddress(
                    period: calendar.period(kind, containing: try rows.integer(0, 3)),
                    margin: try Self.margin(rows, 0, 4), cell: try Self.cell(rows, 0, 5))
            }
            let devices = rows.isNull(0, 1) ? nil : try rows.integer(0, 1)
            guard let reason = WithholdingReason(code: try rows.integer(0, 0), devices: devices, other: other) else {
                throw PostgresError.unexpectedAnswer(query: Query.selectWithheldCell.name)
            }
            return reason
        }
    }

    /// Whether the reasons of a release are still known.
    package func knowsReasons(_ layout: MetricLayout, _ period: Period) async throws -> Bool {
        try await connection.run { session in
            try session.query(
                Query.findWithheldCells([
                    .integer(try Self.metricID(of: layout, session)), period.kind.parameter, period.start.parameter,
                ])
            ).flag(0, 0)
        }
    }

    /// Writes down why cells stayed.
    static func write(_ withheld: [WithheldCell], release: Int64, _ session: Session) throws {
        try session.copyIn(Query.copyWithheldCells.name, Query.copyWithheldCells.sql) { writer in
            for entry in withheld {
                try writer.row(columns: 9)
                try writer.bigint(release)
                try writer.integer(Int32(bitPattern: entry.margin.bits))
                try writer.integer(Int32(bitPattern: entry.cell.value))
                try writer.smallint(entry.reason.code)
                if let devices = entry.reason.devices { try writer.bigint(devices) } else { try writer.null() }
                if let other = entry.reason.other {
                    try writer.smallint(other.period.kind.code)
                    try writer.instant(other.period.start)
                    try writer.integer(Int32(bitPattern: other.margin.bits))
                    try writer.integer(Int32(bitPattern: other.cell.value))
                } else {
                    for _ in 0..<4 { try writer.null() }
                }
            }
        }
    }
}
