package import ThrongLoad
package import ThrongPlan
package import ThrongSchedule

/// What a plan would show of some days, and how well devices hide in what they send, if a crowd came.
///
/// Each of its devices posts what its shopper did; all of it is read, counted and released by the daemon's own code, in memory.
/// For operators only: it tells how much is small.
package struct Forecast: Sendable, Encodable {
    /// How many devices come on a day.
    package let devices: Int
    /// How many days are looked at.
    package let days: Int
    /// How well they hide, by purpose, and over all purposes together.
    package let crowding: [Crowding]
    /// The purposes with `floor: attested`: each device is taken to prove itself for them.
    package let proved: [String]
    /// The metrics' forecasts, in the plan's order; those with a margin are left out.
    package let metrics: [MetricForecast]
    /// What would help the most, over all metrics.
    package let changes: [Change]

    /// A change of the plan.
    package struct Change: Sendable, Encodable {
        /// Of which metric.
        package let metric: String
        /// What is changed.
        package let kind: Cure.Kind
        /// What to do, and what for.
        package let sentence: String
        /// Publishable events that could be shown then, at most; one counts once in each grouping. Unit: events a day.
        package let events: Int64

        init(_ cure: Cure, of metric: String, days: Int) {
            self.metric = metric
            kind = cure.kind
            sentence = cure.sentence
            // What a bucket costs is summed up over all days; anything else is of the last.
            events = (cure.events ?? 0) / (cure.kind == .merge ? Int64(days) : 1)
        }
    }

    /// What is assumed.
    package struct Terms: Sendable {
        /// How many devices come on a day, from 1.
        package var devices: Int
        /// How many days are looked at, from 1; each has a crowd of its own. What is close to k is above it on some of them.
        package var days: Int
        /// When devices post.
        package var posting: Posting
        /// Which crowds, and by what equally useful numbers are chosen.
        package var seed: UInt64
        /// For how long proofs of one release are looked for. Unit: seconds.
        package var proofSeconds = 10.0

        /// When devices post.
        package enum Posting: Sendable {
            /// In the window in which their events happen.
            case asItHappens
            /// All in one window, as `throng demo` has them.
            case atOnce
        }

        /// Puts terms together.
        package init(devices: Int, days: Int = 7, posting: Posting = .asItHappens, seed: UInt64) {
            self.devices = devices
            self.days = days
            self.posting = posting
            self.seed = seed
        }
    }

    /// How many devices a forecast takes at most; more would show no less.
    package static let most = 100_000
    /// How many changes are named.
    package static let mostChanges = 3

    /// Forecasts some days, the last one given.
    ///
    /// Days are taken to be in UTC. Of weeks and months it is one day: their floors are those of one window, too.
    ///
    /// - Parameter progress: called after each device of each day.
    /// - Throws: what a bucketing that can't be compiled throws; ``ReleaseError``.
    package init(
        of plan: Plan, crowd: Crowd, _ terms: Terms, through last: CalendarDate = .today, progress: () -> Void = {}
    ) throws {
        devices = terms.devices
        days = terms.days
        proved = plan.purposes.filter(\.needsProof).map(\.name.text)
        crowding = try plan.crowding(
            of: crowd.visitors(min(terms.devices, crowd.devices.count), seed: terms.seed, isShuffled: true))
        let series = try ForecastDays(plan.inUTC, crowd, terms, through: last, progress: progress).decided()
        metrics = try plan.inUTC.metrics.filter { $0.margin == nil }.map { metric in
            try MetricForecast(metric, of: plan.inUTC, series, devices: terms.devices)
        }
        let all = metrics.flatMap { forecast in
            (forecast.expected?.cures ?? []).map { Change($0, of: forecast.metric, days: terms.days) }
        }
        // Metrics that withhold for one another are one matter, however many they are.
        let sorted = all.sorted { $0.events > $1.events }
        let tied = sorted.firstIndex { $0.kind == .untie }
        changes = sorted.indices.filter { sorted[$0].kind != .untie || $0 == tied }.prefix(Self.mostChanges)
            .map { sorted[$0] }
    }
}
