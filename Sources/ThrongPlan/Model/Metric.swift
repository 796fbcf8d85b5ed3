/// One thing that is counted, with the question that it answers and the date on which it stops.
package struct Metric: Sendable, Hashable {
    /// The metric's name, also that of the analyst's view.
    package let name: MetricName
    package internal(set) var title: String
    /// The words for what its numbers count; nil if the plan has none.
    package internal(set) var noun: Noun?
    package let events: [EventName]
    package internal(set) var question: String
    package let decision: String
    /// The person or team that answers for the metric.
    package let owner: String
    /// The first day on which the metric no longer counts.
    package let expires: CalendarDate
    /// The purpose by whose identifiers the metric is counted.
    package let purpose: PurposeName
    /// The dimensions that split the metric, in the order of its columns; a histogram follows them.
    package let dimensions: [DimensionName]
    package let period: PeriodKind
    /// Longer periods that are released too, ascending, each made of whole ones of the one before.
    package internal(set) var rollups: [PeriodKind] = []
    /// Clipped sums, in the plan's order.
    package let sums: [SumMeasure]
    /// A distribution of a field, which is a dimension of the cube named after it.
    package let histogram: HistogramMeasure?
    /// True if the number of devices is published beside the events.
    package let reach: Bool
    /// True if clients say which of their events are firsts: `reach: client`.
    package internal(set) var countsFirsts: Bool = false
    /// True if devices prove by a credential that they are in a cell, once a period: `reach: attested`.
    package internal(set) var provesFirsts: Bool = false
    /// The answer that a device works out and sends with the metric's event; nil if the app records the event.
    package internal(set) var answered: DeviceAnswer?
    /// The measure of identifiers that is counted instead of events; nil if the metric counts events.
    package internal(set) var within: WindowMeasure?
    /// The most events that one identifier may add in one window; without identifiers, the most that one event counts.
    package let contributionBound: Int
    /// The share of events that clients send: more than 0, at most 1.
    package let sampling: Double
    /// The number of devices that a published number of this metric stands for at least.
    package let threshold: Threshold
    /// Buckets that cannot occur together; events that say so are refused.
    package internal(set) var impossible: [ImpossibleCombination] = []
    /// The groupings that are released besides those that insights ask for: each a set of this metric's dimensions.
    package var margins: [[DimensionName]]
    /// The steps by which released numbers coarsen with age, in ascending order of age.
    package let decay: [DecayStep]

    /// The lengths of time for which clients say which event is a device's first: the period and its rollups, or none.
    package var firstPeriods: [PeriodKind] { countsFirsts ? [period] + rollups : [] }

    /// The lengths of time for which devices prove that they are in a cell: the period and its rollups, or none.
    package var provedPeriods: [PeriodKind] { provesFirsts ? [period] + rollups : [] }
}

/// The words for one and for several of what numbers count: "order" and "orders".
package struct Noun: Sendable, Hashable {
    package let one: String
    package let many: String

    package init(one: String, many: String) { (self.one, self.many) = (one, many) }
}

/// A step of age, at which released numbers go.
package struct DecayStep: Sendable, Hashable {
    /// The age, counted from the end of the period.
    package let after: Duration
    package let action: Action

    /// The numbers that go at an age.
    package enum Action: Sendable, Hashable {
        /// Every released number that is split by this dimension.
        case drop(DimensionName)
        /// The same numbers; those split by a dimension that is made of it, which were released beside them, stay.
        case coarsen(DimensionName, to: DimensionName)
        /// Every released number of a shorter period; the sums over this one, which were released, stay.
        case keep(PeriodKind)
        /// Every released number that is split by anything.
        case keepTotals
        case delete
    }

    package init(after: Duration, action: Action) {
        self.after = after
        self.action = action
    }
}
