package import ThrongPlan
internal import ThrongRelease
package import ThrongSchedule

/// What one metric would show of a day.
package struct MetricForecast: Sendable, Encodable {
    /// The metric.
    package let metric: String
    /// hour, day, week or month.
    package let period: PeriodKind
    /// What each grouping would show, and what would help; nil where the crowd has none of its events.
    package let expected: PlanPast?
    /// When its first number comes at the latest, counted from when it begins to count; nil where its total is published of
    /// less than half of the days. Unit: hours.
    package let firstNumberHours: Int?
    /// How many devices a day its total takes to be published, where it is not. Nil where it is, or where more of them would
    /// not help.
    package let devicesForTotal: Int?
    /// What each step of its decay takes.
    package let decay: [DecayCost]

    init(_ metric: Metric, of plan: Plan, _ days: [DayDecision], devices: Int) throws {
        self.metric = metric.name.text
        period = metric.period
        let made = days.flatMap(\.made).filter { $0.cube.layout.metric == metric.name }
        expected = PlanPast(made.map { ($0.decision, $0.cube) }, of: plan, devices: devices)
        let shown = made.count { $0.decision.release.cell(CellIndex(0), in: .total) != nil }
        let isShown = shown > 0 && 2 * shown >= days.count
        let wait = metric.period.longestSeconds + plan.app.grace.components.seconds
        firstNumberHours = isShown ? Int((wait + 3599) / 3600) : nil
        let floors = made.flatMap(\.decision.withheld).compactMap { cell -> Int64? in
            guard cell.margin == .total, case .small(let floor) = cell.reason, floor.devices > 0 else { return nil }
            return floor.devices
        }
        let threshold = plan.releaseThreshold(of: metric).devices
        devicesForTotal =
            isShown ? nil : floors.max().map { Int((Int64(devices) * threshold + $0 - 1) / $0) }
        decay = try DecayCost.all(of: metric, plan, days)
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
