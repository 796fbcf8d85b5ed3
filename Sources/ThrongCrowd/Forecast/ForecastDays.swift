internal import ThrongNoise
package import ThrongPlan
package import ThrongRelease
internal import ThrongSystem

/// Days on which crowds came, the oldest first, and then a week and a month where a metric has such a period.
enum ForecastDays {
    /// Counts days, and hands each one over.
    static func count<Found>(
        _ plan: Plan, _ crowd: Crowd, _ terms: Forecast.Terms, through last: CalendarDate, progress: () -> Void,
        _ release: (CountedDay) throws -> Found
    ) throws -> [Found] {
        let counter = try DayCounter(plan)
        func count(_ places: Range<Int>, from first: UnixSeconds, _ progress: () -> Void) throws -> CountedDay {
            try counter.count { take in
                for place in places {
                    let day = PeriodCalendar.utc.period(.day, containing: first + Int64(place) * 86_400)
                    let posting: Crowd.Posting =
                        switch terms.posting {
                        case .asItHappens: .asItHappens
                        case .atOnce: .atOnce(day.end + 1)
                        }
                    try crowd.forEachParcel(
                        plan: plan, purposes: plan.purposes, day: day.start, posting: posting, devices: terms.devices,
                        seed: terms.seed &+ UInt64(place), isShuffled: true, progress: progress, take)
                }
            }
        }
        let last = UnixSeconds(last.daysSince1970 * 86_400)
        var found = try (0..<terms.days).map { place in
            let day = try count(place..<place + 1, from: last - Int64(terms.days - 1) * 86_400, progress)
            return try release(day.keeping { $0 != .week && $0 != .month })
        }
        for kind in [PeriodKind.week, .month] where plan.metrics.contains(where: { $0.period == kind }) {
            let period = PeriodCalendar.utc.period(kind, containing: last)
            let whole = Int((period.end.value - period.start.value) / 86_400)
            let days = min(terms.days, whole, Forecast.most / terms.devices)
            found.append(try release(count(0..<max(days, 1), from: period.start) {}.keeping { $0 == kind }))
        }
        return found
    }
}

extension CountedDay {
    /// The same without the metrics of other periods.
    fileprivate func keeping(_ isKept: (PeriodKind) -> Bool) -> CountedDay {
        CountedDay(cubes: cubes.filter { isKept($0.layout.period) }, proved: proved, sent: sent)
    }
}

extension Array where Element: Comparable {
    /// The middle one; of two middle ones the lower. Nil of none.
    var median: Element? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}

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
                    proved: day.proved[metric.name] ?? []), factors: plan.marginFactors(of: metric))
            return Made(cube: cube, decision: try release.decide(secret: secret))
        }
    }
}
