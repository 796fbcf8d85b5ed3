internal import ThrongPlan
internal import ThrongRelease

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
