internal import Foundation
internal import ThrongChance
import ThrongForecast
internal import ThrongLoad
import ThrongPlan
import ThrongRelease

/// Prints what releases of the demonstration's shop show, and what of it comes and goes.
struct SampleBench {
    let folder: String
    /// For each release. Unit: seconds.
    let seconds: Double

    /// The published share of the publishable cells of one day of crowds of these sizes.
    func shares(_ crowds: [Int]) throws {
        let (plan, crowd) = try sample()
        for devices in crowds {
            let counter = try DayCounter(plan)
            let start = ContinuousClock().now
            let decisions = try day(0, of: crowd, devices: devices, counter)
            var levels: [Int: (able: Int64, shown: Int64)] = [:]
            var able: Int64 = 0
            var shown: Int64 = 0
            for (metric, decision) in decisions {
                let all = decision.summary.levels.reduce(Int64(0)) { $0 + Int64($1.publishable) }
                let seen = decision.summary.levels.reduce(Int64(0)) { $0 + Int64($1.published) }
                Swift.print(
                    "  ", metric, "publishable", all, "published", seen, "s",
                    Yardstick.rounded(decision.summary.seconds))
                for level in decision.summary.levels {
                    levels[level.dimensions, default: (0, 0)].able += Int64(level.publishable)
                    levels[level.dimensions, default: (0, 0)].shown += Int64(level.published)
                }
                able += all
                shown += seen
            }
            let took = (ContinuousClock().now - start) / .seconds(1)
            Swift.print(
                "sample", devices, "devices: publishable", able, "published", shown, "%",
                Yardstick.percent(shown, of: able), "s", Yardstick.rounded(took))
            for (dimensions, sums) in levels.sorted(by: { $0.key < $1.key }) {
                Swift.print(
                    "  split by", dimensions, "publishable", sums.able, "published", sums.shown, "%",
                    Yardstick.percent(sums.shown, of: sums.able))
            }
            Swift.print("  " + Yardstick.measure().text)
        }
    }

    /// Series that are published, withheld for another's sake and published again, all the while with k devices or more.
    func blinks(devices: Int, days: Int) throws {
        let (plan, crowd) = try sample()
        var series: [Place: [State]] = [:]
        var dice = SeededGenerator(seed: 20_261_121)
        let counter = try DayCounter(plan)
        var former: [MetricName: Release] = [:]
        var reasons: [Place: [Int: WithholdingReason]] = [:]
        // By metric, by day: the cells that are small.
        var small: [MetricName: [Int: Set<Place>]] = [:]
        for number in 0..<days {
            // Crowds differ as those of the demonstration do.
            let share: Double = 0.86 + 0.14 * dice.fraction()
            let decisions = try day(number, of: crowd, devices: Int(Double(devices) * share), counter, former)
            for (metric, decision) in decisions {
                former[metric] = decision.release
                for cell in decision.release.cells {
                    mark(.published, Place(metric: metric, margin: cell.margin, cell: cell.cell), number, &series)
                }
                for cell in decision.withheld {
                    let place = Place(metric: metric, margin: cell.margin, cell: cell.cell)
                    if cell.reason.isOwn {
                        small[metric, default: [:]][number, default: []].insert(place)
                        continue
                    }
                    mark(.withheld, place, number, &series)
                    reasons[place, default: [:]][number] = cell.reason
                }
            }
        }
        let blinking = series.filter { Self.blinks($0.value) }
        // A metric's numbers protect cells of metrics that count an event of its own, too.
        let tied = Dictionary(
            uniqueKeysWithValues: plan.metrics.map { metric in
                let others = plan.metrics.filter { !Set($0.events).isDisjoint(with: metric.events) }
                return (metric.name, others.map(\.name))
            })
        func unforced(_ metrics: (MetricName) -> [MetricName]) -> Int {
            blinking.count { place, states in
                Self.blinks(
                    states.enumerated().map { day, state in
                        // A cell that became small, or no longer is, may take another protector.
                        let isForced = metrics(place.metric).contains { small[$0]?[day] != small[$0]?[day - 1] }
                        return state == .withheld && isForced ? .small : state
                    })
            }
        }
        let withheld = series.values.reduce(0) { $0 + $1.count { $0 == .withheld } }
        Swift.print(
            "blink", devices, "devices", days, "days: series that were publishable", series.count, "blinking",
            blinking.count, "of them while no cell of the metric crossed k", unforced { [$0] },
            "and none of a metric with the same events", unforced { tied[$0] ?? [] }, "days of a series published",
            series.values.reduce(0) { $0 + $1.count { $0 == .published } }, "withheld for another's sake", withheld)
        for (place, states) in blinking.sorted(by: { ($0.key.metric, $0.key.margin) < ($1.key.metric, $1.key.margin) })
        {
            let days = states.map { $0 == .published ? "#" : $0 == .withheld ? "-" : "." }.joined()
            Swift.print("  ", place.metric, "split by", place.margin.bits.nonzeroBitCount, days)
            for (day, reason) in (reasons[place] ?? [:]).sorted(by: { $0.key < $1.key }) {
                Swift.print("     day", day, reason)
            }
        }
        Swift.print("  " + Yardstick.measure().text)
    }

    /// By dimensions that are kept.
    static func print(_ levels: [ReleaseDecision.Level]) {
        for level in levels {
            Swift.print(
                "  split by", level.dimensions, "publishable", level.publishable, "published", level.published, "%",
                Yardstick.percent(Int64(level.published), of: Int64(level.publishable)), "% of events",
                Yardstick.percent(level.publishedEvents, of: level.publishableEvents))
        }
    }

    private struct Place: Hashable {
        let metric: MetricName
        let margin: Margin
        let cell: CellIndex
    }

    private enum State { case small, published, withheld }

    private func mark(_ state: State, _ place: Place, _ day: Int, _ series: inout [Place: [State]]) {
        var states = series[place] ?? []
        states += Array(repeating: .small, count: day - states.count)
        series[place] = states + [state]
    }

    /// Whether a stretch of days at k or more goes from published to withheld and back.
    private static func blinks(_ states: [State]) -> Bool {
        var wasPublished = false
        var isGone = false
        for state in states {
            switch state {
            case .small: (wasPublished, isGone) = (false, false)
            case .withheld: isGone = wasPublished
            case .published:
                if isGone { return true }
                wasPublished = true
            }
        }
        return false
    }

    private func sample() throws -> (Plan, Crowd) {
        guard let bytes = FileManager.default.contents(atPath: folder + "/shop.yaml") else {
            throw LoadError.unreadable(file: folder + "/shop.yaml")
        }
        return (try Plan(bytes: bytes, file: "shop.yaml"), try Crowd(folder: folder))
    }

    private func day(
        _ number: Int, of crowd: Crowd, devices: Int, _ counter: DayCounter, _ former: [MetricName: Release] = [:]
    ) throws -> [(MetricName, ReleaseDecision)] {
        guard let secret = TieSecret(hex: String(repeating: "5e", count: 32)) else {
            preconditionFailure("these are 64 hexadecimal digits")
        }
        let start = UnixSeconds(1_795_046_400 + Int64(number) * 86_400)
        let period = PeriodCalendar.utc.period(.day, containing: start)
        let cubes = try counter.count { take in
            try crowd.forEachParcel(
                plan: counter.plan, purposes: counter.plan.purposes, day: start, posting: .atOnce(period.end + 1),
                devices: devices, seed: 20_261_121 + UInt64(number), take)
        }
        var decision = DayDecision(cubes, of: counter.plan, secret: secret, seconds: seconds)
        try decision.finish(after: former)
        return decision.made.map { ($0.cube.layout.metric, $0.decision) }
    }
}
