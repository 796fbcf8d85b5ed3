internal import ThrongPlan
internal import ThrongRelease

/// The numbers of one grouping of a metric that a day would show, in the median of the days.
package struct GroupingForecast: Sendable, Hashable, Encodable {
    /// The dimensions that it keeps; none is the total.
    package let dimensions: [String]
    /// The share of the counted events that is in numbers that are shown, in the mean of the days: 0 to 1.
    package let shown: Double
    /// The count of numbers that are shown.
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
        /// Those in numbers that are shown.
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
