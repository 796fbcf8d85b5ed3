package import ThrongPlan
package import ThrongRelease

extension ReleaseStore {
    /// Returns the reason why an occupied cell was withheld; nil if it was published or is empty, or if the reasons
    /// were deleted with the counters.
    package func reason(
        _ layout: MetricLayout, _ period: Period, margin: Margin, cell: CellIndex
    ) async throws -> WithholdingReason? {
        try await connection.run { session in
            let metric = try session.metricID(of: layout)
            return try session.first(
                Query.selectReason(metric: metric, period: period, margin: margin, cell: cell))
        }
    }

    /// Returns whether the reasons of a release are still known.
    package func knowsReasons(_ layout: MetricLayout, _ period: Period) async throws -> Bool {
        try await connection.run { session in
            try session.one(Query.findReasons(metric: try session.metricID(of: layout), period: period))
        }
    }

    static func write(_ withheld: [WithheldCell], release: Int64, _ session: Session) throws {
        try session.copyIn(Query.copyWithheldCells.name, Query.copyWithheldCells.sql) { writer in
            for entry in withheld {
                try writer.row(columns: 5)
                try writer.bigint(release)
                try writer.integer(Int32(bitPattern: entry.margin.bits))
                try writer.integer(Int32(bitPattern: entry.cell.value))
                try writer.smallint(entry.reason.code)
                if let devices = entry.reason.devices { try writer.bigint(devices) } else { try writer.null() }
            }
        }
    }
}

/// The numbers of reasons in `throng.withheld_cell`, which never change, and the devices of a small cell.
extension WithholdingReason: ColumnValue {
    var code: Int16 {
        switch self {
        case .small: 0
        case .nearThreshold: 1
        }
    }

    /// The proved minimum of devices of a small cell; nil for other reasons. Unit: devices.
    var devices: Int64? {
        switch self {
        case .small(let floor): floor.devices
        case .nearThreshold: nil
        }
    }

    init(reading row: inout RowReader) throws {
        switch (try row.integer(), try row.next(Int64?.self)) {
        case (0, let devices?): self = .small(floor: DeviceFloor(devices: devices))
        case (1, nil): self = .nearThreshold
        default: throw row.unexpected
        }
    }
}
