package import ThrongPlan

/// The numbers that leave the house, and the reasons why the rest stays.
package struct ReleaseDecision: Sendable {
    /// The numbers that leave.
    package let release: Release
    /// The occupied cells of the release's groupings that stay, by margin, then by cell. For operators only: the list
    /// tells small cells from empty ones.
    package let withheld: [WithheldCell]
}

/// A number that stays in the house.
package struct WithheldCell: Sendable, Hashable {
    /// The margin: the dimensions that are kept.
    package let margin: Margin
    /// The cell of that margin.
    package let cell: CellIndex
    /// The reason.
    package let reason: WithholdingReason

    package init(margin: Margin, cell: CellIndex, reason: WithholdingReason) {
        self.margin = margin
        self.cell = cell
        self.reason = reason
    }
}

/// The reason why a number stays in the house.
package enum WithholdingReason: Sendable, Hashable {
    /// Fewer than k devices are proved behind it.
    case small(floor: DeviceFloor)
    /// k devices or more are proved behind it, but the number drawn for them is less than its margin above k.
    case nearThreshold
}
