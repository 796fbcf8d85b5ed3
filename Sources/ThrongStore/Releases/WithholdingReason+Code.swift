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
        }
    }

    /// What is proved of a small cell.
    var floor: DeviceFloor? {
        guard case .small(let floor) = self else { return nil }
        return floor
    }

    /// The cell that this one is withheld for.
    var other: CellAddress? {
        switch self {
        case .reveals(let other), .leavesSmallRest(let other): other
        case .bounds(let other): other
        case .small, .dominated, .relatesSingleDevices, .revealsDevices, .revealsTied, .coarsened: nil
        }
    }

    /// Reads what was written; nil where it does not fit together.
    init?(code: Int64, floor: DeviceFloor?, other: CellAddress?) {
        switch (code, floor, other) {
        case (0, let floor?, nil): self = .small(floor: floor)
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
