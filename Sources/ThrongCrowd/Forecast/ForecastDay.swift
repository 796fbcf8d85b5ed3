internal import ThrongNoise
package import ThrongPlan
package import ThrongRelease
internal import ThrongSystem

/// One day, counted and released.
package struct ForecastDay: Sendable {
    /// Its metrics' periods, in the order in which they are released.
    package let made: [Made]

    package struct Made: Sendable {
        package let cube: StoredCube
        /// The numbers that leave the house.
        package let decision: ReleaseDecision

        /// Returns the events that were counted, by cell of a grouping.
        package func events(by grouping: Margin) -> [CellIndex: Int64] {
            let project = cube.layout.projection(from: cube.layout.leaf, to: grouping)
            return cube.counters.reduce(into: [:]) { sums, counter in
                guard counter.measure == .count else { return }
                sums[project(counter.cell), default: 0] += counter.value
            }
        }
    }

    /// Releases a counted day; the same seed draws the same noise.
    package init(_ day: CountedDay, of plan: Plan, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let secret = DrawSecret(bytes: (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        made = try day.cubes.compactMap { cube in
            guard let metric = plan.metric(cube.layout.metric) else { return nil }
            let terms = plan.releaseTerms(of: metric)
            let release = MarginCase(
                header: ReleaseHeader(plan: plan, metric: metric, layout: cube.layout, period: cube.period),
                on: ReleaseEvidence(
                    layout: cube.layout, period: cube.period, parts: [cube], terms: terms,
                    origins: terms.origins.mapValues { [$0] }, countedInLayout: terms.counted,
                    proved: day.proved[metric.name] ?? []),
                factors: plan.marginFactors(of: metric))
            return Made(cube: cube, decision: try release.decide(secret: secret))
        }
    }
}
