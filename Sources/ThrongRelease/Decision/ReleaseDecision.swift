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

/// The data that a release is drawn from, read at one time.
package struct ReleaseEvidence: Sendable, Hashable {
    package let layout: MetricLayout
    /// The period that the release is to cover.
    package let period: Period
    /// The counters of the stored periods that it sums over, by start.
    package let parts: [StoredCube]
    /// Everything that was published about any of the parts.
    package let earlier: [Release]
    /// Terms that satisfy every plan in force since the period began; nil if nobody kept them.
    package let terms: ReleaseTerms?
    /// The origins of the layout's base dimensions, as far as they were kept.
    package let origins: DimensionOrigins
    /// The events that were counted in the layout; nil if nobody kept that.
    package let countedInLayout: CountedEvents?
    /// The devices that proved to be in its cells in the release's own period.
    package let proved: [ProvedDevices]

    package init(
        layout: MetricLayout, period: Period, parts: [StoredCube], earlier: [Release] = [], terms: ReleaseTerms? = nil,
        origins: DimensionOrigins = [:], countedInLayout: CountedEvents? = nil, proved: [ProvedDevices] = []
    ) {
        (self.proved, self.countedInLayout, self.layout, self.period) = (proved, countedInLayout, layout, period)
        (self.parts, self.earlier, self.terms, self.origins) = (parts, earlier, terms, origins)
    }
}
