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
    /// The titles of sums, by their names; those that have none are told by their names.
    package internal(set) var sumTitles: [String: String] = [:]
    /// A distribution of a field, which is a dimension of the cube named after it.
    package internal(set) var histogram: HistogramMeasure?
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
    /// True if each release chooses its bound by what a frequency has told (`contribution_bound: auto`); ``contributionBound`` is
    /// that of releases to which nothing was told.
    package internal(set) var choosesBound: Bool = false
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

    /// The most events of an identifier in a window that are counted, whatever bound a release chooses.
    package var mostContributions: Int { choosesBound ? Self.boundRungs.last ?? contributionBound : contributionBound }

    /// The bounds among which releases choose. A lower one would narrow no margin. Unit: events of an identifier in its window.
    package static let boundRungs = [2, 5, 10, 20, 50, 100, 200]

    /// The most that Σ (a/b)² is over periods that chose bounds b, to which an identifier adds a; b is 2.5 for a bound of 2, as noise
    /// has it.
    ///
    /// There may be as many periods as bounds, where these are UTC's days, too: events that waited offline for up to 48 hours are
    /// sent in the open window. Of its events only the first b count in periods with bounds up to b. The sum is convex, so that it is
    /// largest where as many as can fall to some bounds, one after the other: 5, 20, 50 and 200.
    package static let boundShares = 2.485

    /// The bound where none is given, or nothing was told yet. Unit: events of an identifier in its window.
    package static let firstBound = 20

    /// Returns the bound that a release chooses: the smallest that only so few exceed as reach some number of events, or where none is
    /// told that above what many surely reach, and ``firstBound`` at least.
    package static func chosenBound(few: Int?, many: Int = 0) -> Int {
        let least = few.map { $0 - 1 } ?? max(many, firstBound)
        return boundRungs.first { $0 >= least } ?? boundRungs[boundRungs.count - 1]
    }

    /// The lengths of time for which clients say which event is a device's first: the period and its rollups, or none.
    package var firstPeriods: [PeriodKind] { countsFirsts ? [period] + rollups : [] }

    /// The lengths of time for which devices prove that they are in a cell: the period and its rollups, or none.
    package var provedPeriods: [PeriodKind] { provesFirsts ? [period] + rollups : [] }

    /// The events of which one makes an identifier count; all of them if the metric counts events.
    package var countingEvents: [EventName] {
        guard case .funnel(let steps)? = within?.kind, let first = steps.first else { return events }
        return [first.event]
    }

    /// The words by which people are told a sum.
    package func title(of sum: SumMeasure) -> String { sumTitles[sum.name] ?? sum.name }

    package var steps: [FunnelStep] {
        guard case .funnel(let steps)? = within?.kind else { return [] }
        return steps
    }
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

    package init(after: Duration, action: Action) { (self.after, self.action) = (after, action) }
}

/// A measure of identifiers instead of events: each that did anything counts once, in one bucket of a dimension that
/// only the daemon can fill, and which partitions devices.
package struct WindowMeasure: Sendable, Hashable {
    /// The dimension that the measure makes: a column in the analyst's tables.
    package let name: DimensionName
    package let kind: Kind
    /// The steps in a reader's language, as far as the plan has them in several.
    package internal(set) var titles: [BucketLabel: String] = [:]

    /// A property of an identifier's window.
    package enum Kind: Sendable, Hashable {
        /// The number of its events, in bands by their lower edges: ascending, 1 is the first. Unit: events.
        case frequency(bands: [Int])
        /// The furthest step that it took: steps that count one after the other, 2 to 16.
        case funnel(steps: [FunnelStep])
    }

    /// The title of its dimension, in English or a reader's language.
    package internal(set) var title: String

    package init(name: DimensionName, kind: Kind) {
        (self.name, self.kind, title) = (name, kind, "")
        title = title(in: .english)
    }

    func title(in language: Language) -> String {
        let isFunnel = if case .funnel = kind { true } else { false }
        return language.say(.headReached, ["isFunnel": isFunnel])
    }

    /// The buckets in order. There is no `other`: whoever did nothing is not counted.
    package var labels: [BucketLabel] {
        switch kind {
        case .funnel(let steps): steps.map(\.title)
        case .frequency(let bands):
            bands.enumerated().map { place, edge in
                guard place + 1 < bands.count else { return BucketLabel(">=\(edge)") }
                let last = bands[place + 1] - 1
                return BucketLabel(last == edge ? "\(edge)" : "\(edge)-\(last)")
            }
        }
    }

    /// A text that tells measures with the same labels apart.
    var fingerprint: String {
        switch kind {
        case .frequency(let bands): "frequency \(bands)"
        case .funnel(let steps):
            "funnel "
                + steps.map { step in step.event.text + step.filters.map { " \($0.dimension)=\($0.bucket)" }.joined() }
                .joined(separator: ", ")
        }
    }

    /// The number of one identifier's events beyond which more of them change nothing.
    var mostEvents: Int {
        switch kind {
        case .frequency(let bands): bands.last ?? 1
        case .funnel: 1_000_000
        }
    }

    package var word: String {
        switch kind {
        case .frequency: "frequency"
        case .funnel: "funnel"
        }
    }
}

/// One step of a funnel. It counts only identifiers that took all steps before it.
package struct FunnelStep: Sendable, Hashable {
    /// The step's title for people, which is also its bucket.
    package let title: BucketLabel
    package let event: EventName
    /// The buckets that the event has to be in, at most one a dimension; these need not be the metric's.
    package let filters: [Insight.Filter]
}

/// An answer that a device gives by itself once a period, so that nobody has to recognize the device: the metric's one
/// event, which no app's code records.
package enum DeviceAnswer: Sendable, Hashable {
    /// The calendar weeks 0 to `weeks`, after that of its first event of `of`, in which a device recorded one: an event
    /// for each, with the number in the field `week`.
    case retention(of: [EventName], weeks: Int)
    /// The number of events of `of` in a calendar week with any: an event once it is over, with the number in the field
    /// `events`. `bands` are ascending edges. Unit: events.
    case frequency(of: [EventName], bands: [Int])

    package var events: [EventName] {
        switch self {
        case .retention(let events, _), .frequency(let events, _): events
        }
    }

    package var field: FieldName {
        switch self {
        case .retention: FieldName("week")
        case .frequency: FieldName("events")
        }
    }

    package var rule: BucketingRule {
        switch self {
        case .retention(_, let weeks):
            .list((0...weeks).map { BucketGroup(label: BucketLabel("\($0)"), values: ["\($0)"]) })
        case .frequency(_, let bands): .bands(edges: bands.map(Double.init))
        }
    }

    package var word: String {
        switch self {
        case .retention: "retention"
        case .frequency: "frequency"
        }
    }
}
