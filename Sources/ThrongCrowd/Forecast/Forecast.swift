internal import ThrongNoise
package import ThrongPlan
package import ThrongRelease
package import ThrongReport
internal import ThrongSystem

/// The numbers that a plan would show of a day, if a crowd came, and how well devices hide in what they send.
///
/// Each of its devices posts what it did; all of it is read, counted and released by the daemon's own code,
/// in memory, with noise of a secret of its own. For operators only: it tells how much is small.
package struct Forecast: Sendable, Encodable {
    /// Unit: devices a day.
    package let devices: Int
    /// The number of days, each released ``draws`` times; all that is said is the median, but of shown shares the mean.
    package let days: Int
    /// The hiding places that they have, by purpose, and over all purposes together.
    package let crowding: [Uniqueness]
    /// The purposes with `floor: attested`: each device is taken to prove itself for them.
    package let proved: [String]
    /// The metrics' forecasts, in the plan's order, and each one's rollups after it.
    package let metrics: [MetricForecast]

    package struct Terms: Sendable {
        /// Unit: devices a day; from 1.
        package var devices: Int
        /// The number of days, from 1; each has a crowd of its own. What is close to k is shown on some of them.
        package var days: Int
        /// True if all post within one window; else each device does so in that in which its events happen.
        package var isAtOnce: Bool
        /// The same seed has the same crowds and the same noise.
        package var seed: UInt64

        package init(devices: Int, days: Int = 7, isAtOnce: Bool = false, seed: UInt64) {
            (self.devices, self.days, self.isAtOnce, self.seed) = (devices, days, isAtOnce, seed)
        }
    }

    /// The releases of each day: nobody knows which noise an installation will draw.
    static let draws = 6
    /// The part by which ranges of shares are wider at each end where nobody said which fields go together. Measured on
    /// seven plans whose crowds knew nothing of this one's: 19 of 20 days need half of it.
    static let doubt = 0.05
    /// The most devices that a forecast takes; more would show no less.
    package static let most = 100_000
    /// The most devices of a made-up crowd that are looked at for how well they hide.
    private static let mostMadeUp = 20_000

    /// Forecasts some days, the last one given.
    ///
    /// Days are taken to be in UTC. They come again and again in a week or month that has more of them.
    package init(
        of plan: Plan, crowd: Crowd, _ terms: Terms, through last: CalendarDate = .today, progress: () -> Void = {}
    ) throws {
        devices = terms.devices
        days = terms.days
        proved = plan.purposes.filter(\.needsProof).map(\.name.text)
        let known = crowd.isMadeUp ? Self.mostMadeUp : crowd.devices.count
        crowding = try plan.crowding(of: crowd.visitors(min(terms.devices, known), seed: terms.seed, isShuffled: true))
        let inUTC = plan.inUTC
        var secrets = SeededGenerator(seed: terms.seed)
        let counted = try terms.days(of: crowd, inUTC, through: last, progress: progress)
        let longer = [PeriodKind.day, .week, .month].flatMap { kind in
            counted.joined(
                to: kind, of: inUTC.metrics.filter { $0.rollups.contains(kind) || $0.period == kind && kind > .day })
        }
        let released = try (counted.map { $0.periods(upTo: .day) } + longer).flatMap { periods in
            try (0..<Self.draws).map { _ in try ForecastDay(periods, of: inUTC, seed: secrets.next()) }
        }
        let sent = counted.reduce(into: [MetricName: [Int64: Int]]()) { sent, day in
            sent.merge(day.sent) { $0.merging($1, uniquingKeysWith: +) }
        }
        metrics = inUTC.metrics.flatMap { metric in
            ([metric.period] + metric.rollups).map { kind in
                MetricForecast(
                    metric, by: kind, of: inUTC, released, sent: sent[metric.name] ?? [:], devices: terms.devices,
                    doubt: crowd.isGuessed ? Self.doubt : 0)
            }
        }
    }

    /// Tables for a terminal.
    package var lines: [String] {
        let head = [
            "metric", "grouping", "shown", "may be", "of its events", "on 19 of 20 days", "events off by",
            "devices off by",
        ]
        return [
            "\(Wording.english.count(days, "day")), each of \(Wording.english.count(devices, "device")) that do what "
                + "somebody of the crowd did; of the days the median."
        ] + taken + ["", "How many are alone with what a batch says of them"]
            + Self.columns([["purpose", "devices", "as values", "in buckets", "a batch tells"]] + crowding.map(\.row))
            + [""] + told + [
                "", "What would be shown of a day, or as said; what is close to k may or may not be, by chance",
                "(Only recorded events, by --events, tell which fields of your people go together.)",
            ]
            + Self.columns([head] + metrics.flatMap(\.rows)) + ["", "When the first number comes"]
            + Self.columns(metrics.map { [$0.name, $0.firstNumber] }) + bounds + decayed
    }

    private var taken: [String] {
        guard !proved.isEmpty else { return [] }
        let names = proved.joined(separator: ", ")
        return ["All are taken to prove themselves for \(names); the more can't, the more is withheld."]
    }

    private var told: [String] {
        guard let whole = crowding.last else { return [] }
        return ["What each dimension tells of a device, in bits: each halves those that it can be"]
            + Self.columns(whole.dimensions.map { [$0.dimension, Uniqueness.text($0.bits)] })
    }

    private var bounds: [String] {
        let rows = metrics.compactMap { metric -> [String]? in
            guard let bound = metric.bound else { return nil }
            let now = "\(Wording.english.number(bound.bound)) cuts \(Self.percent(bound.cut)) of its events"
            guard bound.suggested != bound.bound else { return [metric.metric, now] }
            return [
                metric.metric, now,
                "\(Wording.english.number(bound.suggested)) would cut \(Self.percent(bound.suggestedCut)), "
                    + "with margins of events \(BoundForecast.change(from: bound.bound, to: bound.suggested)) as wide",
            ]
        }
        guard !rows.isEmpty else { return [] }
        return ["", "What bounds on a device's events cut; metrics of the same events take the largest of theirs"]
            + Self.columns(rows)
    }

    private var decayed: [String] {
        let rows = metrics.flatMap { metric in
            metric.decay.map { cost in
                [
                    metric.metric, cost.step,
                    "\(cost.numbersAfter) of \(cost.numbersBefore) numbers a \(metric.period.rawValue) are left",
                ]
            }
        }
        return rows.isEmpty ? [] : ["", "What decay takes"] + Self.columns(rows)
    }

    /// "99.3%"; "100%" is all, and "0%" nothing.
    static func percent(_ share: Double) -> String {
        let tenths = share <= 0 ? 0 : share >= 1 ? 1000 : min(max(Int((share * 1000).rounded()), 1), 999)
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }

    /// Rows whose columns stand under each other.
    private static func columns(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { place in rows.filter { $0.count > place }.map { $0[place].count }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).enumerated().map { place, cell in
                place == row.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }
            return "  " + padded.joined(separator: "  ")
        }
    }
}

extension Plan {
    /// The same plan for an app whose days are in UTC.
    var inUTC: Plan {
        var plan = self
        plan.app.timeZone = "UTC"
        // Nobody stands between a crowd in memory and the intake.
        (plan.app.relay, plan.app.evaluator, plan.app.keys) = (nil, nil, .optional)
        plan.app.directedTo = .general
        return plan
    }

    /// The same plan whose metrics release other groupings besides those that insights ask for.
    func releasing(_ margins: [MetricName: [[DimensionName]]]) -> Plan {
        var plan = self
        for place in metrics.indices { if let own = margins[metrics[place].name] { plan.metrics[place].margins = own } }
        return plan
    }

    /// The groupings of a metric that are worth a try: by up to three of its dimensions, and by dimensions that are
    /// made of them; coarser ones first.
    func triedGroupings(of metric: Metric) -> [[DimensionName]] {
        let base = cubeDimensions(of: metric).filter { !$0.isRevealed }.prefix(GroupingAdvice.mostFields)
            .map { ($0.name, of: $0.name) }
        let derived = derivedDimensions.filter { dimension in base.contains { $0.of == dimension.base } }
            .map { ($0.name, of: $0.base) }
        var groupings: [[(name: DimensionName, of: DimensionName)]] = [[]]
        for (name, of) in base + derived {
            groupings += groupings.filter { kept in
                kept.count < GroupingAdvice.mostDimensions && !kept.contains { $0.of == of }
            }.map { $0 + [(name, of)] }
        }
        // Groupings that the plan has now come first among equally coarse ones.
        let own = metric.margins.map(Set.init)
        func rank(_ place: Int) -> (Int, Int, Int) {
            let names = groupings[place].map(\.name)
            return (names.count, own.contains(Set(names)) ? 0 : 1, place)
        }
        return groupings.indices.dropFirst().sorted { rank($0) < rank($1) }.prefix(GroupingAdvice.mostTried)
            .map { groupings[$0].map(\.name) }
    }
}

extension Forecast.Terms {
    /// Counts days on which crowds came, the oldest first.
    func days(of crowd: Crowd, _ plan: Plan, through last: CalendarDate, progress: () -> Void) throws -> [CountedDay] {
        let counter = try DayCounter(plan)
        return try (0..<days).map { place in
            let start = UnixSeconds((last.daysSince1970 - Int64(days - 1 - place)) * 86_400)
            return try counter.count { take in
                try crowd.forEachParcel(
                    plan: plan, purposes: plan.purposes, day: start,
                    posting: isAtOnce ? .atOnce(start + 86_401) : .asItHappens,
                    devices: crowd.devices(devices, on: start), seed: seed &+ UInt64(place), isShuffled: true,
                    progress: progress, take)
            }
        }
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
        try self.init(day.periods(upTo: .month), of: plan, seed: seed)
    }

    /// Releases periods with noise of one secret.
    init(_ periods: [CountedPeriod], of plan: Plan, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let secret = DrawSecret(bytes: (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        made = try periods.compactMap { counted in
            guard let cube = counted.cube, let metric = plan.metric(cube.layout.metric) else { return nil }
            let terms = plan.releaseTerms(of: metric)
            let release = MarginCase(
                header: ReleaseHeader(plan: plan, metric: metric, layout: cube.layout, period: counted.period),
                on: ReleaseEvidence(
                    layout: cube.layout, period: counted.period, parts: counted.parts, terms: terms,
                    origins: terms.origins.mapValues { [$0] }, countedInLayout: terms.counted, proved: counted.proved),
                factors: plan.marginFactors(of: metric))
            return Made(cube: cube, decision: try release.decide(secret: secret))
        }
    }
}

extension Uniqueness {
    fileprivate var row: [String] {
        [
            purpose ?? "all together", Wording.english.number(devices), alone(uniqueValues), alone(uniqueBuckets),
            "\(Self.text(bits)) bits",
        ]
    }

    private func alone(_ count: Int) -> String {
        "\(Wording.english.number(count)) (\(Forecast.percent(Double(count) / Double(max(devices, 1)))))"
    }

    /// "5.21".
    fileprivate static func text(_ bits: Double) -> String {
        let hundredths = Int64((bits * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}

extension MetricForecast {
    /// "visits", or "visits (week)".
    fileprivate var name: String { period == .day ? metric : "\(metric) (\(period.rawValue))" }

    fileprivate var rows: [[String]] {
        guard !groupings.isEmpty else { return [[name, "the crowd has none of its events"]] }
        return groupings.map { grouping in
            [
                name, grouping.dimensions.isEmpty ? "total" : grouping.dimensions.joined(separator: " \u{00d7} "),
                Wording.english.number(grouping.numbers),
                Wording.english.number(max(0, grouping.reached - grouping.numbers)),
                Forecast.percent(grouping.shown),
                "\(Forecast.percent(grouping.shownFrom)) to \(Forecast.percent(grouping.shownTo))",
                "\u{00b1}\(Wording.english.number(Int(grouping.eventMargin)))",
                grouping.deviceMargin.map { "\u{00b1}\(Wording.english.number(Int($0)))" } ?? "-",
            ]
        }
    }

    fileprivate var firstNumber: String {
        if let firstNumberHours { return "within \(Wording.english.count(firstNumberHours, "hour"))" }
        if let devicesForTotal {
            return "never: its total takes about \(Wording.english.number(devicesForTotal)) devices a day"
        }
        return "not known"
    }
}

extension ReleasedBound {
    /// A line for a terminal.
    package var line: String {
        func number(_ number: Int) -> String { Wording.english.number(number) }
        guard let exceeded else {
            return "metric '\(metric)': no released number of '\(frequency)' tells what its bound cuts"
        }
        if let chosen {
            let told = "as '\(frequency)' tells in \(Wording.english.count(periods, "period"))"
            return "metric '\(metric)': a period that begins today takes bound \(number(chosen)), \(told)"
        }
        var line = "metric '\(metric)': contribution_bound \(number(bound)) is exceeded by \(exceeded.text), "
        line += "as '\(frequency)' tells in \(Wording.english.count(periods, "period"))"
        if let suggested, let part = suggestedExceeded {
            line += "; \(number(suggested)) would be by \(part.text), with margins of events "
            line += "\(BoundForecast.change(from: bound, to: suggested)) as wide"
        } else if exceeded.least > Self.mostExceeded {
            line += "; that is too low, and a band that few reach would tell by how much"
        }
        return line
    }
}

extension ReleasedBound.Part {
    fileprivate var text: String {
        let (low, high) = (Forecast.percent(least), Forecast.percent(most))
        return low == high ? low : "\(low) to \(high)"
    }
}

extension BoundForecast {
    /// The width that margins of events have by another bound, in parts of those that are: "0.17 times".
    fileprivate static func change(from bound: Int, to other: Int) -> String {
        "\(Uniqueness.text(max(Double(other), NoiseWidth.leastBound) / max(Double(bound), NoiseWidth.leastBound))) times"
    }
}
