package import ThrongPlan

/// Everything that a release is decided on, as it was read at one time.
///
/// Two are equal where nothing that a decision rests on has changed between them: a decision holds as long as its evidence.
package struct ReleaseEvidence: Sendable, Hashable {
    /// What the counters mean.
    package let layout: MetricLayout
    /// What the release is to cover.
    package let period: Period
    /// The counters of the stored periods that it sums over, by start.
    package let parts: [StoredCube]
    /// What was published about any of the parts.
    package let earlier: [Release]
    /// What counts some of the same events, and what was published of it.
    package let tied: [TiedMetric]
    /// What satisfies every plan that was in force since the period began, of this metric and of those that are tied to it;
    /// nil where nobody kept that.
    package let terms: ReleaseTerms?
    /// What the layout's base dimensions are made from, as far as that was kept.
    package let origins: DimensionOrigins
    /// What was counted in the layout; nil where nobody kept that.
    package let countedInLayout: CountedEvents?
    /// What the metric published of the period before.
    package let former: Release?
    /// The devices that proved to be in its cells: of the release's own period, and of those that were released before.
    package let proved: [ProvedDevices]

    /// Puts evidence together.
    package init(
        layout: MetricLayout, period: Period, parts: [StoredCube], earlier: [Release] = [], tied: [TiedMetric] = [],
        terms: ReleaseTerms? = nil, origins: DimensionOrigins = [:], countedInLayout: CountedEvents? = nil,
        former: Release? = nil, proved: [ProvedDevices] = []
    ) {
        self.proved = proved
        self.countedInLayout = countedInLayout
        self.layout = layout
        self.period = period
        self.parts = parts
        self.earlier = earlier
        self.tied = tied
        self.terms = terms
        self.origins = origins
        self.former = former
    }
}

extension ReleaseCase {
    /// A case on evidence.
    package init(header: ReleaseHeader, on evidence: ReleaseEvidence) {
        self.init(
            header: header, parts: evidence.parts, earlier: evidence.earlier, tied: evidence.tied,
            counted: evidence.terms?.counted, countedInLayout: evidence.countedInLayout, origins: evidence.origins,
            former: evidence.former, proved: evidence.proved)
    }
}
