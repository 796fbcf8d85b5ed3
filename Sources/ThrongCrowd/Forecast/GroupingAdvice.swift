package import ThrongPlan
internal import ThrongRelease

/// Groupings of a metric that would publish nearly all of their events.
///
/// No number is withheld for another's sake, so each grouping is looked at by itself. What each adds is its cost: the
/// noise of all of a metric's groupings together tells a little of each device.
package struct GroupingAdvice: Sendable, Hashable, Encodable {
    package let metric: String
    /// The groupings to write under its `margins`, coarser ones first; without one only the total would do.
    package let margins: [Suggested]
    /// Those that its insights and its decay ask for: they are released anyway.
    package let asked: [Suggested]

    package struct Suggested: Sendable, Hashable, Encodable {
        /// The dimensions that it keeps.
        package let dimensions: [String]
        /// The share of its events that it would show, in the mean of the days.
        package let shown: Double
    }

    /// The least share of its events that a grouping must show to be suggested.
    package static let least = 0.9
    /// The most dimensions that a suggested grouping splits by.
    static let mostDimensions = 3
    /// The most dimensions that they are made of: noise is drawn over no more together.
    static let mostFields = 8
    /// The most groupings of a metric that are tried.
    static let mostTried = 48

    /// Suggests groupings for each metric of a plan that the crowd has events of; those that count identifiers are
    /// left out.
    ///
    /// The busiest hour of each day stands for its hours.
    package static func all(
        of plan: Plan, crowd: Crowd, _ terms: Forecast.Terms, through last: CalendarDate = .today,
        progress: () -> Void = {}
    ) throws -> [GroupingAdvice] {
        let free = plan.metrics.filter { $0.within == nil }
        let tried = Dictionary(uniqueKeysWithValues: free.map { ($0.name, plan.triedGroupings(of: $0)) })
        let totals = plan.releasing(tried.mapValues { _ in [[]] })
        let wide = plan.inUTC.releasing(tried)
        let days = try ForecastDays.count(wide, crowd, terms, through: last, progress: progress) { day in
            try ForecastDay(day.busiest, of: wide, seed: terms.seed)
        }
        return free.compactMap { metric in
            guard let wider = wide.metric(metric.name), let least = totals.metric(metric.name) else { return nil }
            let made = days.map { $0.made.filter { $0.cube.layout.metric == metric.name } }
            let asked = Set(totals.groupingNames(of: least))
            let found = zip(wide.groupings(of: wider), wide.groupingNames(of: wider)).compactMap { grouping, names in
                GroupingForecast(grouping, named: names, on: made).map { (names, $0) }
            }
            guard !found.isEmpty else { return nil }
            func suggested(_ isWanted: ([DimensionName], GroupingForecast) -> Bool) -> [Suggested] {
                found.filter { !$0.0.isEmpty && isWanted($0.0, $0.1) }
                    .map { Suggested(dimensions: $0.1.dimensions, shown: $0.1.shown) }
                    .sorted { ($0.dimensions.count, -$0.shown) < ($1.dimensions.count, -$1.shown) }
            }
            return GroupingAdvice(
                metric: metric.name.text, margins: suggested { !asked.contains($0) && $1.shown >= Self.least },
                asked: suggested { names, _ in asked.contains(names) })
        }
    }
}

extension CountedDay {
    /// The same with one period of each metric: that of the most events.
    fileprivate var busiest: CountedDay {
        var most: [MetricName: Int64] = [:]
        for cube in cubes { most[cube.layout.metric] = max(most[cube.layout.metric] ?? 0, cube.events) }
        var taken: Set<MetricName> = []
        let kept = cubes.filter { cube in
            cube.events == most[cube.layout.metric] && taken.insert(cube.layout.metric).inserted
        }
        return CountedDay(cubes: kept, proved: proved, sent: sent)
    }
}

extension [GroupingAdvice] {
    /// Lines to paste into a plan.
    package var yaml: [String] {
        ["metrics:"]
            + flatMap { advice -> [String] in
                let margins = advice.margins.map { "      - \($0.words)" }
                let asked = advice.asked.map { "      # released anyway, for insights or decay: \($0.words)" }
                let none = margins.isEmpty ? " [[]]  # what is released anyway, and the total" : ""
                return ["  \(advice.metric):", "    margins:\(none)"] + margins + asked
            }
    }
}

extension GroupingAdvice.Suggested {
    /// `[page, device]  # 99.3% of its events`.
    fileprivate var words: String {
        "[\(dimensions.joined(separator: ", "))]  # \(Forecast.percent(shown)) of its events"
    }
}
