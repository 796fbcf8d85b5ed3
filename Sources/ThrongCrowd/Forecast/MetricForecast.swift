package import ThrongPlan
internal import ThrongRelease

/// The numbers of one metric that a day would show.
package struct MetricForecast: Sendable, Encodable {
    package let metric: String
    package let period: PeriodKind
    /// Its groupings; none where the crowd has none of its events.
    package let groupings: [GroupingForecast]
    /// The events that its bound cuts; nil where it counts identifiers, or the crowd has none of its events.
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
        bound = metric.within == nil ? BoundForecast(metric.contributionBound, sent) : nil
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

extension PeriodKind {
    /// Unit: seconds.
    fileprivate var longestSeconds: Int64 {
        switch self {
        case .hour: 3600
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 31 * 86_400
        }
    }
}
