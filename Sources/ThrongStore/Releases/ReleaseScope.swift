package import ThrongPlan

/// What a release covers, and what else its making concerns.
package struct ReleaseScope: Sendable {
    /// What the counters mean.
    package let layout: MetricLayout
    /// What they cover.
    package let period: Period
    /// Which metrics count the same events; nil decides the period as if there were none.
    package let ties: EventTies?
    let source: Source

    /// Where its counters are.
    enum Source: Sendable {
        /// In a period of its own, which is part of coarser ones that are to be released too.
        case counted(rollups: [Period])
        /// In the released periods that it is made of.
        case parts
    }

    /// A period that was counted.
    ///
    /// - Parameter rollups: coarser periods that the period is part of and that are to be released too.
    package init(_ open: OpenPeriod, rollups: [Period] = [], ties: EventTies?) {
        layout = open.layout
        period = open.period
        source = .counted(rollups: rollups)
        self.ties = ties
    }

    /// A coarser period, over the counters of its parts.
    package init(_ rollup: OpenRollup, ties: EventTies?) {
        layout = rollup.layout
        period = rollup.period
        source = .parts
        self.ties = ties
    }
}
