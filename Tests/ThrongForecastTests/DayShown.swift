import ThrongChance
import ThrongForecast
import ThrongLoad
import ThrongPlan
import ThrongRelease
import ThrongSchedule

/// What is published of one day on which a crowd came, posting as things happen.
enum DayShown {
    /// - Returns: published numbers; numbers of k devices or more; and published numbers of devices. Metrics that count identifiers
    ///   are left out.
    static func of(
        _ plan: Plan, devices: Int, _ crowd: Crowd
    ) throws -> (published: Int, publishable: Int, devices: Int) {
        let day = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_046_400))
        let counter = try DayCounter(plan)
        let counted = try counter.count { take in
            try crowd.forEachParcel(
                plan: plan, purposes: plan.purposes, day: day.start, posting: .asItHappens, devices: devices, seed: 5,
                take)
        }
        var decision = DayDecision(counted, of: plan, secret: TieSecret(trial: 5), seconds: 10)
        try decision.finish()
        var found = (published: 0, publishable: 0, devices: 0)
        for made in decision.made where plan.metric(made.cube.layout.metric)?.within == nil {
            found.published += made.decision.release.cells.count
            found.publishable += made.decision.summary.levels.reduce(0) { $0 + $1.publishable }
            found.devices += made.decision.release.cells.count { $0.reach != nil }
        }
        return found
    }
}
