package import ThrongPlan

/// The numbers that a plan would show of a day, if a crowd came, and how well devices hide in what they send.
///
/// Each of its devices posts what it did; all of it is read, counted and released by the daemon's own code,
/// in memory, with noise of a secret of its own. For operators only: it tells how much is small.
package struct Forecast: Sendable, Encodable {
    /// Unit: devices a day.
    package let devices: Int
    /// The number of days; all that is said is the median of them, but of shown shares the mean.
    package let days: Int
    /// The hiding places that they have, by purpose, and over all purposes together.
    package let crowding: [Uniqueness]
    /// The purposes with `floor: attested`: each device is taken to prove itself for them.
    package let proved: [String]
    /// The metrics' forecasts, in the plan's order.
    package let metrics: [MetricForecast]

    package struct Terms: Sendable {
        /// Unit: devices a day; from 1.
        package var devices: Int
        /// The number of days, from 1; each has a crowd of its own. What is close to k is shown on some of them.
        package var days: Int
        package var posting: Posting
        /// The same seed has the same crowds and the same noise.
        package var seed: UInt64

        package enum Posting: Sendable {
            /// Each device posts in the window in which its events happen.
            case asItHappens
            /// All in one window, as the sample's shoppers do in `throng try`.
            case atOnce
        }

        package init(devices: Int, days: Int = 7, posting: Posting = .asItHappens, seed: UInt64) {
            (self.devices, self.days, self.posting, self.seed) = (devices, days, posting, seed)
        }
    }

    /// The most devices that a forecast takes; more would show no less.
    package static let most = 100_000
    /// The most devices of a made-up crowd that are looked at for how well they hide.
    private static let mostMadeUp = 20_000

    /// Forecasts some days, the last one given.
    ///
    /// Days are taken to be in UTC. A week or month has as many days as are forecast, if it has so many.
    package init(
        of plan: Plan, crowd: Crowd, _ terms: Terms, through last: CalendarDate = .today, progress: () -> Void = {}
    ) throws {
        devices = terms.devices
        days = terms.days
        proved = plan.purposes.filter(\.needsProof).map(\.name.text)
        let known = crowd.isMadeUp ? Self.mostMadeUp : crowd.devices.count
        crowding = try plan.crowding(of: crowd.visitors(min(terms.devices, known), seed: terms.seed, isShuffled: true))
        let inUTC = plan.inUTC
        var sent: [MetricName: [Int64: Int]] = [:]
        let released = try ForecastDays.count(inUTC, crowd, terms, through: last, progress: progress) { day in
            sent.merge(day.sent) { $0.merging($1, uniquingKeysWith: +) }
            return try ForecastDay(day, of: inUTC, seed: terms.seed)
        }
        metrics = inUTC.metrics.map { metric in
            MetricForecast(metric, of: inUTC, released, sent: sent[metric.name] ?? [:], devices: terms.devices)
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
