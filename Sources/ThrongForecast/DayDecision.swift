package import ThrongChance
package import ThrongPlan
package import ThrongRelease

/// Decides the releases of counted periods one after the other, each knowing what those before it gave away.
package struct DayDecision {
    private let plan: Plan
    private let cubes: [StoredCube]
    private let proved: [MetricName: [ProvedDevices]]
    private let secret: TieSecret
    private let seconds: Double
    private let ties: EventTies
    /// What was decided so far, in order.
    package private(set) var made: [Made] = []

    /// What leaves of one cube.
    package struct Made: Sendable {
        /// What was counted.
        package let cube: StoredCube
        /// What of it leaves.
        package let decision: ReleaseDecision
    }

    /// - Parameters:
    ///   - day: as ``DayCounter/count(_:)`` has it.
    ///   - secret: by what equally useful numbers are chosen.
    ///   - seconds: for how long proofs of one release are looked for.
    package init(_ day: CountedDay, of plan: Plan, secret: TieSecret, seconds: Double) {
        self.plan = plan
        // Metrics with a margin say nothing exact of others, and withhold nothing for them.
        cubes = day.cubes.filter { plan.metric($0.layout.metric)?.margin == nil }
        proved = day.proved
        self.secret = secret
        self.seconds = seconds
        ties = EventTies(plan)
    }

    /// Decides all of them.
    ///
    /// - Parameter former: the last releases of the day before.
    package mutating func finish(after former: [MetricName: Release] = [:]) throws {
        for cube in cubes {
            let before = former[cube.layout.metric].flatMap { $0.header.period.end == cube.period.start ? $0 : nil }
            try make(cube, after: before)
        }
    }

    /// Decides a cube.
    mutating func make(_ cube: StoredCube, showing groupings: [Margin]? = nil, after former: Release? = nil) throws {
        made.append(Made(cube: cube, decision: try decide(cube, showing: groupings, former: former)))
    }

    /// A metric's cubes, by start.
    func cubes(of metric: MetricName) -> [StoredCube] { cubes.filter { $0.layout.metric == metric } }

    /// Decides one cube after all that are made.
    ///
    /// - Parameter groupings: what is shown, where it is not what the plan says.
    func decide(
        _ cube: StoredCube, showing groupings: [Margin]? = nil, former: Release? = nil
    ) throws -> ReleaseDecision {
        guard let metric = plan.metric(cube.layout.metric) else {
            preconditionFailure("cubes are of the plan's metrics")
        }
        let terms = plan.releaseTerms(of: metric)
        let planned = ReleaseHeader(plan: plan, metric: metric, layout: cube.layout, period: cube.period)
            .tightened(by: terms)
        let header = groupings.map { planned.showing($0) } ?? planned
        var options = ReleaseOptions(seed: secret.seed(for: "release", header.series), proofSeconds: seconds)
        options.preferred = plan.reportedGroupings(of: metric)
        return try ReleaseCase(
            header: header, parts: [cube], tied: tied(to: metric, during: cube.period), counted: terms.counted,
            origins: origins(of: metric), former: former, proved: proved[metric.name] ?? []
        ).decideCoarsening(options)
    }

    /// What counts some of the same events within a period, and what was decided about it.
    private func tied(to metric: Metric, during period: Period) -> [TiedMetric] {
        let names = ties.metrics(overlapping: metric.name, counting: plan.counted(by: metric))
        return plan.metrics.filter { names.contains($0.name) }.compactMap { other in
            let parts = cubes.filter {
                $0.layout.metric == other.name && $0.period.start >= period.start && $0.period.end <= period.end
            }
            guard let layout = parts.first?.layout else { return nil }
            let periods = Set(parts.map(\.period))
            let counted = plan.counted(by: other)
            return TiedMetric(
                counted: counted, layout: layout, parts: parts,
                releases: made.filter { $0.cube.layout.metric == other.name && periods.contains($0.cube.period) }
                    .map(\.decision.release),
                origins: origins(of: other), countedInLayout: counted,
                proved: (proved[other.name] ?? []).filter { periods.contains($0.period) })
        }
    }

    private func origins(of metric: Metric) -> DimensionOrigins {
        plan.releaseTerms(of: metric).origins.mapValues { [$0] }
    }
}

extension ReleaseHeader {
    /// The same with other groupings.
    fileprivate func showing(_ groupings: [Margin]) -> ReleaseHeader {
        ReleaseHeader(
            layout: layout, period: period, plan: plan, threshold: threshold, sampling: sampling, reach: reach,
            groupings: groupings, protection: protection, sensitive: sensitive ?? [], events: events)
    }
}
