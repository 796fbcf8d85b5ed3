package import ThrongPlan
internal import ThrongRelease

/// The numbers of one metric that a day would show.
package struct MetricForecast: Sendable, Encodable {
    package let metric: String
    package let period: PeriodKind
    /// Its groupings; none where the crowd has none of its events.
    package let groupings: [GroupingForecast]
    /// The events that its bound cuts; nil where it counts identifiers, releases choose the bound, or the crowd has none of
    /// its events.
    package let bound: BoundForecast?
    /// The time until its first number at the latest, counted from when it begins to count; nil where its total is
    /// published of less than half of the days. Unit: hours.
    package let firstNumberHours: Int?
    /// The devices a day that its total takes to be published, where it is not. Nil where it is, or where nobody is in
    /// it.
    package let devicesForTotal: Int?
    package let decay: [DecayCost]

    init(_ metric: Metric, of plan: Plan, _ days: [ForecastDay], sent: [Int64: Int], devices: Int) {
        self.metric = metric.name.text
        period = metric.period
        let made = days.map { $0.made.filter { $0.cube.layout.metric == metric.name } }
        groupings = zip(plan.groupings(of: metric), plan.groupingNames(of: metric)).compactMap {
            GroupingForecast($0, named: $1, on: made)
        }
        bound = metric.within == nil && !metric.choosesBound ? BoundForecast(metric.contributionBound, sent) : nil
        let shown = made.count { $0.contains { $0.decision.release.cell(CellIndex(0), in: .total) != nil } }
        let isShown = shown > 0 && 2 * shown >= made.count { !$0.isEmpty }
        let wait = metric.period.longestSeconds + plan.app.grace.components.seconds
        firstNumberHours = isShown ? Int((wait + 3599) / 3600) : nil
        devicesForTotal = isShown ? nil : Self.devicesForTotal(metric.threshold.devices, made.flatMap { $0 }, devices)
        decay = DecayCost.all(of: metric, plan, made.flatMap { $0 })
    }

    /// Estimates the devices for which the total would be published, in proportion to how far the best of its periods
    /// came; nil where no withheld total tells.
    private static func devicesForTotal(_ k: Int64, _ made: [ForecastDay.Made], _ devices: Int) -> Int? {
        let floors = made.flatMap(\.decision.withheld).compactMap { cell -> Int64? in
            guard cell.margin == .total else { return nil }
            guard case .small(let floor) = cell.reason else { return k }
            return floor.devices
        }
        guard let best = floors.max(), best > 0 else { return nil }
        let needed = k + (made.compactMap { $0.decision.release.header.deviceMargin(of: .total) }.max() ?? 0)
        return Int((Int64(devices) * needed + best - 1) / best)
    }
}

/// The numbers that a step of a metric's decay takes, at its age.
package struct DecayCost: Sendable, Hashable, Encodable {
    /// `after 90 days, drop screen`.
    package let step: String
    /// The published numbers of one period that are there before the step.
    package let numbersBefore: Int
    /// The numbers that the step leaves; none of shorter periods that became a longer one.
    package let numbersAfter: Int

    /// All steps of a metric, in the order of age.
    static func all(of metric: Metric, _ plan: Plan, _ made: [ForecastDay.Made]) -> [DecayCost] {
        guard let layout = made.first?.cube.layout else { return [] }
        /// The numbers of a period that are left after so many steps.
        func numbers(after steps: some Sequence<DecayStep>) -> Int {
            let left = steps.reduce(into: Set(plan.groupings(of: metric))) { left, step in
                left = left.filter { step.leaves($0, of: metric, layout) }
            }
            return made.reduce(0) { $0 + $1.decision.release.cells.count { left.contains($0.margin) } } / made.count
        }
        return metric.decay.indices.map { place in
            DecayCost(
                step: metric.decay[place].words, numbersBefore: numbers(after: metric.decay[..<place]),
                numbersAfter: numbers(after: metric.decay[...place]))
        }
    }
}

extension DecayStep {
    /// True where numbers of a grouping are still there afterwards.
    fileprivate func leaves(_ margin: Margin, of metric: Metric, _ layout: MetricLayout) -> Bool {
        func keeps(_ name: DimensionName) -> Bool {
            layout.dimensions.indices.contains { layout.dimensions[$0].name == name && margin.keeps($0) }
        }
        return switch action {
        case .drop(let name), .coarsen(let name, to: _): !keeps(name)
        case .keep(let kind): metric.period >= kind
        case .keepTotals: margin == .total
        case .delete: false
        }
    }

    /// `after 90 days, drop screen`.
    fileprivate var words: String {
        let what =
            switch action {
            case .drop(let name): "drop \(name)"
            case .coarsen(let name, let to): "coarsen \(name) to \(to)"
            case .keep(let kind): "keep \(kind.rawValue)s"
            case .keepTotals: "keep totals"
            case .delete: "delete all"
            }
        return "after \(after.planText), \(what)"
    }
}

/// The numbers of one grouping of a metric that a day would show, in the median of the days.
package struct GroupingForecast: Sendable, Hashable, Encodable {
    /// The dimensions that it keeps; none is the total.
    package let dimensions: [String]
    /// The share of the counted events that is in numbers that are shown, in the mean of the days: 0 to 1.
    package let shown: Double
    package let numbers: Int
    /// The count of numbers with k devices or more behind them. Those that are not shown are close to k.
    package let reached: Int
    /// The distance within which 19 of 20 shown numbers of events are. Unit: events.
    package let eventMargin: Int64
    /// The same of numbers of devices; nil without identifiers. Unit: devices.
    package let deviceMargin: Int64?

    /// Looks at the days on which anything was counted; nil where there are none.
    init?(_ grouping: Margin, named names: [DimensionName], on days: [[ForecastDay.Made]]) {
        let days = days.filter { !$0.isEmpty }.map { OneDay(grouping, $0) }.filter { $0.events > 0 }
        guard let numbers = days.map(\.numbers).median, let reached = days.map(\.reached).median,
            let eventMargin = days.map(\.eventMargin).median
        else { return nil }
        dimensions = names.map(\.text)
        // What is close to k is shown on some of the days, and the median of those is all or nothing.
        shown = days.reduce(0) { $0 + $1.share } / Double(days.count)
        (self.numbers, self.reached, self.eventMargin) = (numbers, reached, eventMargin)
        deviceMargin = days.compactMap(\.deviceMargin).median
    }

    /// One day's periods together.
    private struct OneDay {
        /// All that were counted.
        var events: Int64 = 0
        var shownEvents: Int64 = 0
        var numbers = 0
        var reached = 0
        /// The widest of its periods.
        var eventMargin: Int64 = 0
        var deviceMargin: Int64?

        init(_ grouping: Margin, _ made: [ForecastDay.Made]) {
            for one in made {
                let counted = one.events(by: grouping)
                let release = one.decision.release
                let shown = release.cells.filter { $0.margin == grouping }
                events += counted.values.reduce(0, +)
                shownEvents += shown.reduce(0) { $0 + (counted[$1.cell] ?? 0) }
                numbers += shown.count
                let near = one.decision.withheld.count { $0.margin == grouping && $0.reason == .nearThreshold }
                reached += shown.count + near
                eventMargin = max(eventMargin, release.header.margin(of: grouping) ?? 0)
                deviceMargin = [deviceMargin, release.header.deviceMargin(of: grouping)].compactMap { $0 }.max()
            }
        }

        var share: Double { events > 0 ? Double(shownEvents) / Double(events) : 0 }
    }
}
