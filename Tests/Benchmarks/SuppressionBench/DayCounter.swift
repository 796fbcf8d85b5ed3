internal import Foundation
internal import ThrongChance
internal import ThrongCounting
internal import ThrongIntake
internal import ThrongLoad
import ThrongPlan
import ThrongRelease

/// Counts a plan's days as a daemon does and decides their releases as the scheduler does, without PostgreSQL.
struct DayCounter {
    let plan: Plan
    private let layouts: [MetricLayout]
    private let space: CellSpace
    private let intake: Intake
    private let secret: TieSecret

    /// Compiles a plan whose periods are days in UTC.
    init(_ plan: Plan) throws {
        self.plan = plan
        layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        space = CellSpace(layouts: layouts)
        intake = try Intake(plans: [plan], space: space, rules: .system)
        guard let secret = TieSecret(hex: String(repeating: "5e", count: 32)) else {
            preconditionFailure("these are 64 hexadecimal digits")
        }
        self.secret = secret
    }

    /// The content of a file; nil where it can't be read.
    static func bytes(of file: String) -> [UInt8]? { FileManager.default.contents(atPath: file).map(Array.init) }

    /// What batches of one day come to, by metric in the plan's order.
    func count(_ parcels: [Crowd.Parcel], of period: Period) throws -> [StoredCube] {
        var counting = Counting(
            space: space, position: .start, watermark: .start, bounds: Counting.Bounds(windowBytes: .max))
        var keys: [WindowID: WindowKey] = [:]
        let now = period.end + 1
        for parcel in parcels {
            var body = parcel.body
            let outcome = try body.withUTF8 { try intake.read($0, signals: [], now: now) }
            guard case .batch(let incoming) = outcome else { continue }
            let window = incoming.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            _ = counting.count(incoming.bucketed, identifier: incoming.identifier.keyed(with: key), now: now) { _ in
                period.start
            }
        }
        _ = counting.takeClosings(now: .max) { _ in period.start }
        var counters: [[StoredCounter: Int64]] = layouts.map { _ in [:] }
        var distinct: [[StoredDistinct: Int64]] = layouts.map { _ in [:] }
        var top: [[StoredTop]] = layouts.map { _ in [] }
        while let flush = counting.freeze() {
            let places = flush.layouts.map { layout in layouts.firstIndex { $0.id == layout.id } }
            for delta in flush.counters where delta.periodStart == period.start {
                guard let place = places[delta.layout] else { continue }
                counters[place][.init(measure: delta.measure, cell: delta.cell, value: 0), default: 0] += delta.delta
            }
            for delta in flush.distinct where delta.periodStart == period.start {
                guard let place = places[delta.layout] else { continue }
                let key = StoredDistinct(margin: delta.margin, cell: delta.cell, window: delta.window, devices: 0)
                distinct[place][key, default: 0] += delta.delta
            }
            for pair in flush.top where pair.periodStart == period.start {
                guard let place = places[pair.layout] else { continue }
                top[place].append(
                    StoredTop(
                        margin: pair.margin, cell: pair.cell, measure: pair.measure, window: pair.window,
                        largest: pair.largest, second: pair.second))
            }
            counting.applied(flush, closed: [])
        }
        return layouts.indices.map { place in
            StoredCube(
                layout: layouts[place], period: period,
                counters: counters[place].map { StoredCounter(measure: $0.measure, cell: $0.cell, value: $1) }
                    .sorted { ($0.cell, $0.measure.value) < ($1.cell, $1.measure.value) },
                distinct: distinct[place].map {
                    StoredDistinct(margin: $0.margin, cell: $0.cell, window: $0.window, devices: $1)
                }.sorted { ($0.margin, $0.cell, $0.window) < ($1.margin, $1.cell, $1.window) },
                top: top[place])
        }
    }

    /// The day's releases, one after the other, each knowing what those before it gave away.
    ///
    /// - Parameter former: the day before's releases.
    func decide(
        _ cubes: [StoredCube], of period: Period, former: [MetricName: Release] = [:], seconds: Double
    ) throws -> [(MetricName, ReleaseDecision)] {
        var made: [(MetricName, ReleaseDecision)] = []
        for (place, metric) in plan.metrics.enumerated() {
            let terms = plan.releaseTerms(of: metric)
            let header = ReleaseHeader(plan: plan, metric: metric, layout: layouts[place], period: period)
                .tightened(by: terms)
            let names = EventTies(plan).metrics(overlapping: metric.name, counting: plan.counted(by: metric))
            let tied = plan.metrics.indices.filter { names.contains(plan.metrics[$0].name) }.map { other in
                TiedMetric(
                    counted: plan.counted(by: plan.metrics[other]), layout: layouts[other], parts: [cubes[other]],
                    releases: made.filter { $0.0 == plan.metrics[other].name }.map(\.1.release),
                    origins: origins(of: plan.metrics[other]), countedInLayout: plan.counted(by: plan.metrics[other]))
            }
            var options = ReleaseOptions(
                seed: secret.seed(for: "release", header.series), proofSeconds: seconds)
            options.preferred = plan.reportedGroupings(of: metric)
            let decision = try ReleaseCase(
                header: header, parts: [cubes[place]],
                tied: tied, counted: terms.counted,
                origins: origins(of: metric), former: former[metric.name]
            ).decide(options)
            made.append((metric.name, decision))
        }
        return made
    }

    private func origins(of metric: Metric) -> DimensionOrigins {
        plan.releaseTerms(of: metric).origins.mapValues { [$0] }
    }
}
