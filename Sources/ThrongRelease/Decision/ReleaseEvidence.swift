package import ThrongPlan

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
        self.proved = proved
        self.countedInLayout = countedInLayout
        self.layout = layout
        self.period = period
        self.parts = parts
        self.earlier = earlier
        self.terms = terms
        self.origins = origins
    }
}
