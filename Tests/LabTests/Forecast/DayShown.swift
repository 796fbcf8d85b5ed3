import ThrongCrowd
import ThrongPlan
import ThrongRelease

/// The numbers that are published of one day on which a crowd came, posting as things happen.
enum DayShown {
    /// - Returns: published numbers; numbers of k devices or more; and published numbers of devices. Metrics that count identifiers
    ///   are left out.
    static func of(
        _ plan: Plan, devices: Int, _ crowd: Crowd
    ) throws -> (published: Int, reached: Int, devices: Int) {
        let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_046_400))
        let counter = try DayCounter(plan)
        let counted = try counter.count { take in
            try crowd.forEachParcel(
                plan: plan, purposes: plan.purposes, day: day.start, posting: .asItHappens, devices: devices, seed: 5,
                take)
        }
        var found = (published: 0, reached: 0, devices: 0)
        for made in try ForecastDay(counted, of: plan, seed: 5).made
        where plan.metric(made.cube.layout.metric)?.within == nil {
            found.published += made.decision.release.cells.count
            found.reached +=
                made.decision.release.cells.count + made.decision.withheld.count { $0.reason == .nearThreshold }
            found.devices += made.decision.release.cells.count { $0.reach != nil }
        }
        return found
    }
}
