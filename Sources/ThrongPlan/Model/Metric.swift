/// One thing that is counted, with the question that it answers and the date on which it stops.
package struct Metric: Sendable, Hashable {
    /// Name of the analyst's view.
    package let name: MetricName
    /// What people read above a chart.
    package internal(set) var title: String
    /// The events that it counts.
    package let events: [EventName]
    /// The question that it answers.
    package internal(set) var question: String
    /// The decision that it drives.
    package let decision: String
    /// Who answers for it.
    package let owner: String
    /// The first day on which it no longer counts.
    package let expires: CalendarDate
    /// Whose identifiers it is counted by.
    package let purpose: PurposeName
    /// How it is split, in the order of its columns; a histogram is the last.
    package let dimensions: [DimensionName]
    /// What a counter covers.
    package let period: PeriodKind
    /// Longer periods that are released too, as sums over the same counters; ascending, each made of whole ones of the
    /// one before.
    package let rollups: [PeriodKind]
    /// Clipped sums, in the plan's order.
    package let sums: [SumMeasure]
    /// A distribution of a field, which is a dimension of the cube named after it.
    package let histogram: HistogramMeasure?
    /// Whether the number of devices is published beside the events.
    package let reach: Bool
    /// Whether clients say which of their events are firsts, so that devices are known beyond a window: `reach: client`.
    package let countsFirsts: Bool
    /// Whether devices prove by a credential that they are in a cell, once a period: `reach: attested`.
    package let provesFirsts: Bool
    /// What a device works out by itself and says with the metric's event; nil where the app records the event.
    package let answered: DeviceAnswer?
    /// What it counts of identifiers instead of events; nil where it counts events.
    package let within: WindowMeasure?
    /// Events that one identifier may add in one window; where there are no identifiers, what one event counts at most.
    package let contributionBound: Int
    /// Share of events that clients send: more than 0, at most 1.
    package let sampling: Double
    /// How many devices a published number of this metric stands for.
    package let threshold: Threshold
    /// How close an estimate of a withheld number or of one contributor's part may come.
    package let protection: Protection
    /// Those of its dimensions of which nobody may learn that a whole cohort is in one bucket.
    package let sensitive: [DimensionName]
    /// Buckets that cannot occur together; events that say so are refused.
    package let impossible: [ImpossibleCombination]
    /// Which groupings are released besides those that insights ask for: each a set of this metric's dimensions.
    package let margins: [[DimensionName]]
    /// How its released numbers coarsen with age, in ascending order of age.
    package let decay: [DecayStep]
    /// How far off its published numbers are on purpose; nil where they are exact, and small ones withheld.
    package let margin: MetricMargin?

    /// Puts a metric together from parts that the reader has checked.
    package init(
        name: MetricName,
        title: String,
        events: [EventName],
        question: String,
        decision: String,
        owner: String,
        expires: CalendarDate,
        purpose: PurposeName,
        dimensions: [DimensionName],
        period: PeriodKind,
        sums: [SumMeasure],
        histogram: HistogramMeasure?,
        reach: Bool,
        contributionBound: Int,
        sampling: Double,
        threshold: Threshold,
        margins: [[DimensionName]],
        decay: [DecayStep],
        rollups: [PeriodKind] = [],
        protection: Protection = .standard,
        sensitive: [DimensionName] = [],
        impossible: [ImpossibleCombination] = [],
        margin: MetricMargin? = nil,
        countsFirsts: Bool = false,
        provesFirsts: Bool = false,
        answered: DeviceAnswer? = nil,
        within: WindowMeasure? = nil
    ) {
        self.name = name
        self.title = title
        self.events = events
        self.question = question
        self.decision = decision
        self.owner = owner
        self.expires = expires
        self.purpose = purpose
        self.dimensions = dimensions
        self.period = period
        self.sums = sums
        self.histogram = histogram
        self.reach = reach
        self.contributionBound = contributionBound
        self.sampling = sampling
        self.threshold = threshold
        self.margins = margins
        self.decay = decay
        self.rollups = rollups
        self.protection = protection
        self.sensitive = sensitive
        self.impossible = impossible
        self.margin = margin
        self.countsFirsts = countsFirsts
        self.provesFirsts = provesFirsts
        self.answered = answered
        self.within = within
    }

    /// The lengths of time of which clients say which event is a device's first: the period and its rollups, or none.
    package var firstPeriods: [PeriodKind] { countsFirsts ? [period] + rollups : [] }

    /// The lengths of time of which devices prove that they are in a cell: the period and its rollups, or none.
    package var provedPeriods: [PeriodKind] { provesFirsts ? [period] + rollups : [] }
}

/// What happens to released numbers at an age.
package struct DecayStep: Sendable, Hashable {
    /// Counted from the end of the period.
    package let after: Duration
    /// What goes.
    package let action: Action

    /// What goes at that age.
    package enum Action: Sendable, Hashable {
        /// Every released number that is split by this dimension.
        case drop(DimensionName)
        /// The same; what is split by one that is made of it, and that was released beside it, stays.
        case coarsen(DimensionName, to: DimensionName)
        /// Every released number of a period that is shorter; the sums over it, which were released, stay.
        case keep(PeriodKind)
        /// Every released number that is split by anything.
        case keepTotals
        /// Everything.
        case delete
    }

    /// Puts a step together.
    package init(after: Duration, action: Action) {
        self.after = after
        self.action = action
    }
}
