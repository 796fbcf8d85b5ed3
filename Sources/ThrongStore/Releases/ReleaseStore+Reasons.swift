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
            try session.first(
                SelectReason(
                    metric: try session.metricID(of: layout), period: period, margin: margin, cell: cell,
                    timeZone: layout.timeZone))
        }
    }

    /// Whether the reasons of a release are still known.
    package func knowsReasons(_ layout: MetricLayout, _ period: Period) async throws -> Bool {
        try await connection.run { session in
            try session.one(FindReasons(metric: try session.metricID(of: layout), period: period))
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

/// How reasons are numbered in `throng.withheld_cell`; the numbers never change.
extension WithholdingReason {
    /// The number.
    var code: Int16 {
        switch self {
        case .small: 0
        case .dominated: 1
        case .reveals: 2
        case .bounds: 3
        case .leavesSmallRest: 4
        case .relatesSingleDevices: 5
        case .revealsDevices: 6
        case .coarsened: 7
        case .revealsTied: 8
        case .fewFirsts: 9
        case .leftOut: 10
        case .nearThreshold: 11
        }
    }

    /// What is proved of a small cell, or said. Unit: devices.
    var devices: Int64? {
        switch self {
        case .small(let floor): floor.devices
        case .fewFirsts(let devices): devices
        default: nil
        }
    }

    /// The cell that this one is withheld for.
    var other: CellAddress? {
        switch self {
        case .reveals(let other), .leavesSmallRest(let other): other
        case .bounds(let other): other
        case .small, .fewFirsts, .dominated, .relatesSingleDevices, .revealsDevices, .revealsTied, .coarsened, .leftOut,
            .nearThreshold:
            nil
        }
    }

    /// Reads what was written; nil where it does not fit together.
    init?(code: Int64, devices: Int64?, other: CellAddress?) {
        switch (code, devices, other) {
        case (0, let devices?, nil): self = .small(floor: DeviceFloor(devices: devices))
        case (9, let devices?, nil): self = .fewFirsts(devices)
        case (1, nil, nil): self = .dominated
        case (2, nil, let other?): self = .reveals(other)
        case (3, nil, let other): self = .bounds(other)
        case (4, nil, let other?): self = .leavesSmallRest(other)
        case (5, nil, nil): self = .relatesSingleDevices
        case (6, nil, nil): self = .revealsDevices
        case (7, nil, nil): self = .coarsened
        case (8, nil, nil): self = .revealsTied
        case (10, nil, nil): self = .leftOut
        case (11, nil, nil): self = .nearThreshold
        default: return nil
        }
    }
}
