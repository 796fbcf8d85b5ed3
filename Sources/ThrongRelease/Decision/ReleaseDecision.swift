package import ThrongPlan

/// The numbers that leave the house, and the reasons why the rest stays.
package struct ReleaseDecision: Sendable {
    package let release: Release
    /// The occupied cells that stay, by margin and cell; for operators only, as they tell small from empty.
    package let withheld: [WithheldCell]
}

/// A number that stays in the house.
package struct WithheldCell: Sendable, Hashable {
    package let margin: Margin
    package let cell: CellIndex
    package let reason: WithholdingReason
}

/// The reason why a number stays in the house.
package enum WithholdingReason: Sendable, Hashable {
    /// Fewer than k devices are proved behind it.
    case small(floor: DeviceFloor)
    /// k devices or more are proved behind it, but the number drawn for them is less than its margin above k.
    case nearThreshold
}
