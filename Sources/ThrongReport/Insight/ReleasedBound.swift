package import ThrongPlan
package import ThrongRelease

/// The part of identifiers that send more than a metric's `contribution_bound`, and the smallest bound that few exceed,
/// as far as a frequency tells that was released. It costs nothing: all of it is computed from published numbers.
package struct ReleasedBound: Sendable, Hashable, Encodable {
    /// A part of all identifiers, which lies between the two in 19 of 20 cases: 0 to 1.
    package struct Part: Sendable, Hashable, Encodable {
        package let least: Double
        package let most: Double
    }

    package let metric: String
    /// The metric whose frequency tells.
    package let frequency: String
    /// The number of releases that were read.
    package let periods: Int
    /// The plan's. Unit: events of an identifier in its window.
    package let bound: Int
    /// The part that sends more than the plan's bound; nil where nothing tells.
    package let exceeded: Part?
    /// The smallest bound that is told to be exceeded by no more than ``mostExceeded``; nil where the plan's is no worse.
    package let suggested: Int?
    package let suggestedExceeded: Part?
    /// The bound of releases that choose theirs by these periods: the smallest of the rungs that is told to be exceeded by no more
    /// than ``mostExceeded``, or the first bound; nil where the plan's is fixed.
    package let chosen: Int?

    /// The largest part that may exceed a suggested bound, its margin included. A bound is too low where more than that
    /// exceed it, whatever the noise.
    package static let mostExceeded = 0.05
    /// Most of the last releases that are read.
    package static let mostPeriods = 7

    /// Returns how far back releases of a kind of period are looked for. Unit: seconds.
    package static func reach(of period: PeriodKind) -> Int64 { Int64(2 * mostPeriods) * period.longestSeconds }

    /// Looks at the last releases of a frequency that tells a metric; those that were counted otherwise, as by a former
    /// plan, are not read.
    package init(_ metric: Metric, told frequency: Metric, by releases: [Release], of plan: Plan) {
        let alike = releases.filter { release in
            let layout = release.header.layout
            return layout.within == frequency.within?.layout && release.header.events == frequency.events.sorted()
                && layout.purpose == metric.purpose && layout.rotation == plan.purpose(metric.purpose)?.rotation
        }
        let times = alike.compactMap(ReachedTimes.init).suffix(Self.mostPeriods)
        let edges = times.last?.edges ?? []
        let parts = edges.indices.map { Part(from: $0, in: Array(times)) }
        (self.metric, self.frequency) = (metric.name.text, frequency.name.text)
        (periods, bound) = (times.count, metric.contributionBound)
        // Bands that begin with another number tell ends only, and the first band is everybody.
        let above = edges.firstIndex { $0 > metric.contributionBound }.flatMap { parts[$0]?.least } ?? 0
        let below = edges.lastIndex { $0 <= metric.contributionBound + 1 }.flatMap { parts[$0]?.most } ?? 1
        exceeded = above > 0 || below < 1 ? Part(least: above, most: max(above, below)) : nil
        let place = parts.indices.dropFirst().first { parts[$0].map { $0.most <= Self.mostExceeded } ?? false }
        let isBetter = place.map { edges[$0] <= metric.contributionBound } ?? false || above > Self.mostExceeded
        let better = isBetter ? place : nil
        (suggested, suggestedExceeded) = (better.map { edges[$0] - 1 }, better.flatMap { parts[$0] })
        // As many as exceed a rung, or more, reach a band that begins no higher than just above it.
        let rung = place.flatMap { place in Metric.boundRungs.first { $0 + 1 >= edges[place] } }
        chosen = metric.choosesBound ? rung ?? Metric.firstBound : nil
    }
}

extension ReleasedBound.Part {
    /// Adds up over periods how many had as many events as a band begins with, and all; nil where no period tells.
    ///
    /// A band near k is shown when noise makes it large. Where it is not, the ends lie further apart, by more than that.
    /// A part of the noise is the same in all periods. All of it is taken to be: for such sums of n numbers n times the
    /// sum of their variances is enough (Cauchy and Schwarz).
    fileprivate init?(from band: Int, in times: [ReachedTimes]) {
        let told = times.compactMap { time in
            time.reached(band).map { (whole: time.whole, least: $0.least, most: $0.most) }
        }
        let whole = told.reduce(0.0) { $0 + Double($1.whole) }
        guard whole > 0 else { return nil }
        func hull(_ numbers: [ReachedTimes.Number]) -> (low: Double, high: Double) {
            func sum(_ variance: (QuotientNoise) -> Double) -> Double {
                Double(numbers.count) * numbers.reduce(0) { $0 + variance($1.noise) }
            }
            let noise = QuotientNoise(part: sum(\.part), whole: sum(\.whole), covariance: sum(\.covariance))
            let part = numbers.reduce(0.0) { $0 + Double($1.count) }
            return Fieller(part, over: whole, noise: noise).hull(from: 0, to: 1)
        }
        self.init(least: hull(told.map(\.least)).low, most: hull(told.map(\.most)).high)
    }
}
