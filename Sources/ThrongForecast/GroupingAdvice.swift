package import ThrongLoad
package import ThrongPlan
internal import ThrongRelease
internal import ThrongSchedule

/// Groupings of a metric that would publish nearly all of their events beside each other.
package struct GroupingAdvice: Sendable, Hashable, Encodable {
    /// The metric.
    package let metric: String
    /// What to write under its `margins`, coarser ones first; without one only the total would do.
    package let margins: [Suggested]
    /// What its insights and its decay ask for: it is released anyway.
    package let asked: [Suggested]

    /// A grouping.
    package struct Suggested: Sendable, Hashable, Encodable {
        /// What it keeps.
        package let dimensions: [String]
        /// The share of its events that it would show.
        package let shown: Double
    }

    /// Under what share of its events a grouping is not suggested.
    package static let least = 0.9
    /// By how many dimensions a suggested grouping splits at most.
    static let mostDimensions = 3
    /// How many groupings of a metric are tried.
    static let mostTried = 48

    /// Suggests groupings for each metric of a plan that the crowd has events of; metrics with a margin and those that count
    /// identifiers are left out.
    ///
    /// Coarser ones are tried first. One is taken where it would show enough of its events and costs those that were taken
    /// before next to nothing. Of hours the busiest of each day is looked at.
    ///
    /// - Parameter progress: called after each device of each day.
    /// - Throws: as ``Forecast/init(of:crowd:_:through:progress:)``.
    package static func all(
        of plan: Plan, crowd: Crowd, _ terms: Forecast.Terms, through last: CalendarDate = .today,
        progress: () -> Void = {}
    ) throws -> [GroupingAdvice] {
        let free = plan.metrics.filter { $0.margin == nil && $0.within == nil }
        let tried = Dictionary(uniqueKeysWithValues: free.map { ($0.name, plan.triedGroupings(of: $0)) })
        let totals = plan.inUTC.releasing(tried.mapValues { _ in [[]] })
        let wide = plan.inUTC.releasing(tried)
        var days = try ForecastDays(wide, crowd, terms, through: last, progress: progress).days
        var found: [MetricName: GroupingAdvice] = [:]
        // Shorter periods are released first.
        for metric in totals.metrics.filter({ $0.margin == nil }).enumerated().sorted(by: {
            ($0.element.period, $0.offset) < ($1.element.period, $1.offset)
        }).map(\.element) {
            var shown: [Margin]?
            if let tried = tried[metric.name],
                var search = try GroupingSearch(of: metric.name, on: days, asked: totals.groupingNames(of: metric))
            {
                for grouping in tried { try search.consider(grouping) }
                found[metric.name] = search.advice
                shown = search.margins
            }
            for place in days.indices {
                for cube in days[place].cubes(of: metric.name) { try days[place].make(cube, showing: shown) }
            }
        }
        return free.compactMap { found[$0.name] }
    }
}

extension [GroupingAdvice] {
    /// What can be pasted into a plan.
    package var yaml: [String] {
        ["metrics:"]
            + flatMap { advice in
                ["  \(advice.metric):"]
                    + (advice.margins.isEmpty
                        ? ["    margins: [[]]  # what is released anyway, and the total"]
                        : ["    margins:"] + advice.margins.map { "      - \($0.words)" })
                    + advice.asked.map { "      # released anyway, for insights or decay: \($0.words)" }
            }
    }
}

extension GroupingAdvice.Suggested {
    /// `[page, device]  # 99.3 %`.
    fileprivate var words: String {
        "[\(dimensions.joined(separator: ", "))]  # \(MetricReview.percent(shown)) of its events"
    }
}
