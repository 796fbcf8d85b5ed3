internal import ThrongRelease

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
        case .small, .fewFirsts, .dominated, .relatesSingleDevices, .revealsDevices, .revealsTied, .coarsened: nil
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
        default: return nil
        }
    }
}
