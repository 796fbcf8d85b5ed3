package import ThrongPlan

/// Everything that a release is decided on: the counters of its period, and what was published before about them.
///
/// Shape: the stored periods that the release sums over, one for a day of a daily metric, up to seven for its week; and
/// the releases that were made of those periods or of groups of them. All have the header's layout.
package struct ReleaseCase: Sendable {
    /// What the release will say of itself.
    package let header: ReleaseHeader
    /// The stored periods, by start.
    package let parts: [StoredCube]
    /// The ledger: what was published about any of the parts. It stays published whatever is decided now.
    package let earlier: [Release]
    /// What counts some of the same events, and what was published of it.
    package let tied: [TiedMetric]
    /// What the metric counted, as it was kept; nil where nobody did.
    package let counted: CountedEvents?
    /// The same of its layout alone: a metric that was laid out anew meanwhile counted the rest elsewhere.
    package let countedInLayout: CountedEvents?
    /// What its base dimensions are made from, as far as that was kept.
    package let origins: DimensionOrigins
    /// What the metric published of the period before; nil where there is nothing. What was a series goes on where it can.
    package let former: Release?
    /// The devices that proved to be in its cells: of the release's own period, and of those that were released before.
    package let proved: [ProvedDevices]

    /// Puts a case together.
    package init(
        header: ReleaseHeader, parts: [StoredCube], earlier: [Release] = [], tied: [TiedMetric] = [],
        counted: CountedEvents? = nil, countedInLayout: CountedEvents? = nil, origins: DimensionOrigins = [:],
        former: Release? = nil, proved: [ProvedDevices] = []
    ) {
        self.proved = proved
        self.parts = parts.sorted { $0.period.start < $1.period.start }
        // The labels that its slots have by now are read with the counters.
        self.header = self.parts.last.map { header.naming(as: $0.layout) } ?? header
        self.earlier = earlier
        self.tied = tied
        self.counted = counted
        self.countedInLayout = countedInLayout
        self.origins = origins
        self.former = former
    }
}

/// A metric that counts some of the same events as the one that is decided: what was counted, and what everybody has of
/// it.
///
/// One a layout: a metric that was laid out anew within the time has two.
package struct TiedMetric: Sendable, Hashable {
    /// Which events.
    package let counted: CountedEvents
    /// What its cells mean.
    package let layout: MetricLayout
    /// Its stored periods within the time, released or not.
    package let parts: [StoredCube]
    /// What was published about them.
    package let releases: [Release]
    /// Whether all of that is still there. Age may have taken published numbers or raw counters.
    package let isWhole: Bool
    /// What its base dimensions are made from, as far as that was kept.
    package let origins: DimensionOrigins
    /// What was counted in the layout; nil where nobody kept that.
    package let countedInLayout: CountedEvents?
    /// The devices that proved to be in its cells in its stored periods, and in those that were released.
    package let proved: [ProvedDevices]

    /// Puts one together.
    package init(
        counted: CountedEvents, layout: MetricLayout, parts: [StoredCube], releases: [Release], isWhole: Bool = true,
        origins: DimensionOrigins = [:], countedInLayout: CountedEvents? = nil, proved: [ProvedDevices] = []
    ) {
        self.countedInLayout = countedInLayout
        self.proved = proved
        self.counted = counted
        self.layout = layout
        self.parts = parts.sorted { $0.period.start < $1.period.start }
        self.releases = releases
        self.isWhole = isWhole
        self.origins = origins
    }
}
