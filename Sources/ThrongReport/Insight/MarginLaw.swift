internal import Foundation
package import ThrongPlan
package import ThrongRelease

/// The covariances of a release's noise, as far as everybody knows them from the layout and the stated margins.
///
/// Each number is a sum of interactions (Margins page, "Noise"). Two sums of a and b of a field's n buckets, c of
/// which are in both, have in that field ab/n² of the total's variance in common, and (c − ab/n)·n/(n − 1) of the
/// interaction's: an interaction's draws have the variance V/(1 − 1/n). Over several fields the factors are
/// multiplied. A part of a whole has c = a and b = n, which is a/n of the whole's variance. Events and sums add up
/// over all dimensions. Devices do over those that partition them; of different occasions they are different
/// questions, and have nothing in common.
struct MarginLaw: Sendable {
    enum Measure: Sendable, Hashable {
        /// Events, or identifiers.
        case count
        /// The sum at that place.
        case sum(Int)
        case devices
    }

    private let header: ReleaseHeader

    /// The law of a release; nil before it is drawn.
    init?(_ header: ReleaseHeader) {
        guard header.margins != nil else { return nil }
        self.header = header
    }

    /// A number of the release, or a sum of numbers.
    ///
    /// - Parameter buckets: by dimension that its grouping keeps, those that are added up.
    /// - Returns: nil where the release does not show the grouping, or says no margin of it.
    func number(_ buckets: [Int: Set<Int>], of measure: Measure) -> DrawnNumber? {
        let grouping = Margin(keeping: buckets.keys)
        let stated: Int64? =
            switch measure {
            case .count: header.margin(of: grouping)
            case .sum(let place): header.margin(of: grouping, measure: place + 1)
            case .devices: header.deviceMargin(of: grouping)
            }
        guard let stated else { return nil }
        let dimensions = header.layout.dimensions
        func isSplit(_ place: Int) -> Bool { measure != .devices || dimensions[place].partitionsDevices }
        var fields: [Int: Set<Int>] = [:]
        for (place, chosen) in buckets where isSplit(place) {
            let coarsening = dimensions[place].coarsening
            let own =
                coarsening.map { coarse in Set(coarse.buckets.indices.filter { chosen.contains(coarse.buckets[$0]) }) }
                ?? chosen
            let base = coarsening?.place ?? place
            fields[base] = fields[base].map { $0.intersection(own) } ?? own
        }
        let widest = fields.keys.reduce(1) { $0 * widestCell(of: $1, in: buckets.keys.filter(isSplit)) }
        return DrawnNumber(
            measure: measure,
            fields: fields.sorted { $0.key < $1.key }.map {
                .init(place: $0.key, size: dimensions[$0.key].labels.count, buckets: $0.value)
            }, occasions: buckets.filter { !isSplit($0.key) },
            deviation: Double(stated) / Interval.z / widest.squareRoot())
    }

    /// The largest factor that one cell has in a base dimension: stated margins are those of the widest cells.
    private func widestCell(of base: Int, in kept: [Int]) -> Double {
        let dimensions = header.layout.dimensions
        let size = dimensions[base].labels.count
        if kept.contains(base) { return DrawnNumber.common(1, 1, both: 1, of: size) }
        let coarse = kept.compactMap { dimensions[$0].coarsening }.filter { $0.place == base }
        let cells = Dictionary(grouping: dimensions[base].labels.indices) { bucket in coarse.map { $0.buckets[bucket] }
        }
        return cells.values.map { DrawnNumber.common($0.count, $0.count, both: $0.count, of: size) }.max() ?? 1
    }
}

/// A drawn number, as far as its noise goes.
struct DrawnNumber: Sendable {
    /// One base dimension that it is split by.
    struct Field: Sendable {
        let place: Int
        let size: Int
        /// The buckets that the number sums up.
        let buckets: Set<Int>
        /// Their part of all.
        var part: Double { Double(buckets.count) / Double(size) }
    }

    /// Different measures are drawn by themselves.
    let measure: MarginLaw.Measure
    /// Ascending by place.
    let fields: [Field]
    /// The buckets that tell what devices did, by dimension; only for numbers of devices.
    let occasions: [Int: Set<Int>]
    /// The standard deviation of the total of its question, by its own margin.
    let deviation: Double

    /// Unit: the measure's, squared.
    var variance: Double { covariance(with: self) }

    /// The margin, which holds in 19 of 20 cases. Unit: the measure's.
    var margin: Int64 { Int64((Interval.z * variance.squareRoot() - 1e-6).rounded(.up)) }

    /// Unit: the measure's, squared.
    func covariance(with other: DrawnNumber) -> Double {
        guard measure == other.measure, occasions == other.occasions else { return 0 }
        var product = deviation * other.deviation
        for field in fields {
            guard let same = other.fields.first(where: { $0.place == field.place }) else {
                product *= field.part
                continue
            }
            let both = field.buckets.intersection(same.buckets).count
            product *= Self.common(field.buckets.count, same.buckets.count, both: both, of: field.size)
        }
        for field in other.fields where !fields.contains(where: { $0.place == field.place }) { product *= field.part }
        return product
    }

    /// Returns the factor of the total's variance that two sums of some of a field's buckets have in common; 1 for two
    /// sums of all buckets.
    static func common(_ one: Int, _ other: Int, both: Int, of size: Int) -> Double {
        guard size > 1 else { return 1 }
        let (one, other, both, size) = (Double(one), Double(other), Double(both), Double(size))
        let total = one * other / size
        return total / size + (both - total) * size / (size - 1)
    }
}

/// The ends between which the mean of values from 0 to 1 lies, each of which was kept with the same chance. They are
/// computed from the sum of the kept values, and hold in at least 19 of 20 draws, however the values are spread.
///
/// An end is where the draw would be too surprising. Let S be the sum of the n that were kept of N values, µ the mean
/// of all, p the chance. For all a and b, E exp(aS + bn) = ∏(1 − p + p·exp(a·x + b)); the logarithm of a factor is
/// convex in x, so that no values with the mean µ make it larger than zeros and ones do (as in Hoeffding 1963, Theorem
/// 1). Where µ·log(1 − p + p·exp(a + b)) + (1 − µ)·log(1 − p + p·exp(b)) = 0 it is at most 1 for every N, and by
/// Markov's inequality aS + bn reaches log 40 in one of 40 draws at most. The ends are those of the slope a that fits
/// the draw best (Chernoff); with p → 0 that is n·KL(S/n ‖ µ) = log 40. Unlike a normal interval it needs no variance,
/// which is not released. That the slope is chosen after the draw is not in the proof: over zeros and ones, for which
/// all is exact, a test adds up every draw.
package struct DrawnMean {
    /// The lower end, 0 to 1.
    package let low: Double
    /// The upper end, 0 to 1.
    package let high: Double

    /// One draw of 40 may be more surprising, on each side.
    package static let limit = log(40.0)
    /// Bisections: the ends are exact to one part in 10^12.
    private static let steps = 40

    /// - Parameters:
    ///   - sum: of the kept values, 0 to `events`.
    ///   - events: how many values were kept; with none, nothing is known.
    ///   - rate: the chance of each to be kept: more than 0, less than 1.
    package init(_ sum: Double, of events: Int64, rate: Double) {
        let events = Double(events)
        guard events > 0 else {
            (low, high) = (0, 1)
            return
        }
        let sum = Swift.min(Swift.max(sum, 0), events)
        func isTooFar(_ mean: Double) -> Bool { Self.surprise(sum, of: events, ifMean: mean, rate: rate) > Self.limit }
        let kept = sum / events
        low = sum > 0 ? Self.end(from: kept, to: 0, isTooFar) : 0
        high = sum < events ? Self.end(from: kept, to: 1, isTooFar) : 1
    }

    /// Returns the ends between which the mean of the kept values lies, if the mean of all values is known: the inverse
    /// of the ends above.
    package static func meansKept(of events: Int64, ifMean mean: Double, rate: Double) -> (low: Double, high: Double) {
        let events = Double(events)
        guard events > 0 else { return (0, 1) }
        func isTooFar(_ kept: Double) -> Bool { surprise(kept * events, of: events, ifMean: mean, rate: rate) > limit }
        return (isTooFar(0) ? end(from: mean, to: 0, isTooFar) : 0, isTooFar(1) ? end(from: mean, to: 1, isTooFar) : 1)
    }

    /// The last place on the way that is not too far, or a little beyond.
    private static func end(from inside: Double, to outside: Double, _ isTooFar: (Double) -> Bool) -> Double {
        var (inside, outside) = (inside, outside)
        for _ in 0..<steps {
            let middle = (inside + outside) / 2
            if isTooFar(middle) { outside = middle } else { inside = middle }
        }
        return outside
    }

    /// −log of how likely such a draw is at most: the largest aS + bn; which is, the other way round, the least
    /// T·KL(S/T ‖ p) + C·KL((n − S)/C ‖ p) over all numbers T of ones and C of zeros with the mean T / (T + C).
    package static func surprise(_ sum: Double, of events: Double, ifMean mean: Double, rate: Double) -> Double {
        let rest = events - sum
        guard mean > 0, mean < 1 else { return (mean <= 0 ? sum : rest) > 0 ? .infinity : 0 }
        // All values are at least those that were kept, and at most as many as if the rarer kind was kept as often.
        var least = Swift.max(sum / mean, rest / (1 - mean))
        var most = least / rate
        for _ in 0..<steps {
            let all = (least + most) / 2
            let slope =
                mean * log((1 - sum / (mean * all)) / (1 - rate))
                + (1 - mean) * log((1 - rest / ((1 - mean) * all)) / (1 - rate))
            if slope > 0 { most = all } else { least = all }
        }
        let all = (least + most) / 2
        return divergence(sum, of: mean * all, rate) + divergence(rest, of: (1 - mean) * all, rate)
    }

    /// T·KL(kept/T ‖ rate).
    private static func divergence(_ kept: Double, of all: Double, _ rate: Double) -> Double {
        let left = Swift.max(all - kept, 0)
        return (kept > 0 ? kept * log(kept / (all * rate)) : 0) + (left > 0 ? left * log(left / (all * (1 - rate))) : 0)
    }
}

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
    /// The bound of releases that choose theirs by these periods, few and many being no more and more than ``mostExceeded``: see
    /// ``Metric/chosenBound(few:many:)``. Nil where the plan's is fixed.
    package let chosen: Int?

    /// The largest part that may exceed a suggested bound, its margin included. A bound is too low where more than that
    /// exceed it, whatever the noise.
    package static let mostExceeded = 0.05
    /// Most of the last releases that are read.
    package static let mostPeriods = 7

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
        let many = parts.lastIndex { $0.map { $0.least > Self.mostExceeded } ?? false }.map { edges[$0] } ?? 0
        chosen = metric.choosesBound ? Metric.chosenBound(few: place.map { edges[$0] }, many: many) : nil
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

extension InsightReading {
    private var counted: MarginLaw.Measure {
        switch kind {
        case .reach, .share(of: .devices, part: _): .devices
        case .count, .mean, .distribution, .quantiles, .retention, .frequency, .funnel, .share(of: .events, part: _):
            .count
        }
    }

    private func number(_ fixed: [Place], _ measure: MarginLaw.Measure) -> DrawnNumber? {
        law.number(Dictionary(fixed.map { ($0.dimension, Set([$0.bucket])) }) { first, _ in first }, of: measure)
    }

    func within(_ split: [Place]) -> Int64? { number(base + split, counted)?.margin }

    var withinWhole: Int64? { number(base, .count)?.margin }

    func shareNoise(_ split: [Place]) -> QuotientNoise? {
        part.isEmpty
            ? QuotientNoise(number(base + split, counted), over: number(base, counted))
            : QuotientNoise(number(base + split + part, counted), over: number(base + split, counted))
    }

    /// The noise of a week's answers over those of week 0: two cells of one table.
    func retentionNoise(_ split: [Place], over start: [Place]) -> QuotientNoise? {
        QuotientNoise(number(base + split, .count), over: number(base + start, .count))
    }

    /// The noise of a mean: sums and counts are drawn by themselves.
    func meanNoise(_ split: [Place], sum: Int) -> QuotientNoise? {
        QuotientNoise(number(base + split, .sum(sum)), over: number(base + split, .count))
    }

    /// Those that took at least a step, of one group.
    func reached(in group: [Int], from step: Int, of steps: Int) -> DrawnNumber? {
        guard let dimension = places.last else { return nil }
        var buckets: [Int: Set<Int>] = [dimension: Set(step..<steps)]
        for fixed in base + zip(places, group).map({ Place(dimension: $0, bucket: $1) }) {
            buckets[fixed.dimension] = [fixed.bucket]
        }
        return law.number(buckets, of: .count)
    }

    /// Returns a function that takes two sums of a group's bands, each by its buckets, and returns their covariance.
    func bandNoise(_ split: [Place], histogram: Int) -> (Set<Int>, Set<Int>) -> Double {
        let group = Dictionary((base + split).map { ($0.dimension, Set([$0.bucket])) }) { first, _ in first }
        return { one, other in
            let numbers = [one, other].map { law.number(group.merging([histogram: $0]) { $1 }, of: .count) }
            guard let first = numbers[0], let second = numbers[1] else { return 0 }
            return first.covariance(with: second)
        }
    }

    /// The order of a table's rows.
    ///
    /// - Parameter interval: of a number of the answer.
    func order(of table: AnswerTable, interval: @escaping (Quantity) -> Interval?) -> RowOrder {
        // Shares of one whole are as far apart as their parts.
        let areParts: Bool
        switch kind {
        case .count, .reach, .distribution, .frequency, .share(of: _, part: nil): areParts = true
        case .share, .mean, .quantiles, .retention, .funnel: areParts = false
        }
        let isSampled = release.header.sampling < 1 && counted == .count
        let numbers: [DrawnNumber?] =
            areParts && !isSampled ? splits.map { number(base + $0, counted) } : table.rows.map { _ in nil }
        return RowOrder(quantities: table.rows.map(\.figure.quantity), numbers: numbers, interval: interval)
    }

    private var splits: [[Place]] {
        combinations.map { buckets in zip(places, buckets).map { Place(dimension: $0, bucket: $1) } }
    }
}

extension QuotientNoise {
    /// The noise of one drawn number over another; nil where a margin is not told.
    init?(_ part: DrawnNumber?, over whole: DrawnNumber?) {
        guard let part, let whole else { return nil }
        self.init(part: part.variance, whole: whole.variance, covariance: part.covariance(with: whole))
    }
}
