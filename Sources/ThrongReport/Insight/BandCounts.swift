package import ThrongPlan
package import ThrongRelease

/// The events of a histogram's bands as far as they are published, from which quantiles are read.
package struct BandCounts {
    /// The edges between bands, ascending. Unit: the histogram's.
    package let edges: [Double]
    /// One a band, from the one below the first edge to the one above the last; nil is withheld. Unit: events.
    package let bands: [Int64?]
    /// Events without a number, which have no quantile; nil is withheld.
    package let other: Int64?
    /// All events, with those without a number; nil is withheld.
    package let whole: Int64?
    /// The chance of each event to be kept.
    package let rate: Double
    /// The covariance of two sums of bands, `other` behind the last. Unit: events, squared.
    package let noise: (Set<Int>, Set<Int>) -> Double

    /// The quantile, if every way to fill the withheld bands agrees on its band; nil is withheld.
    ///
    /// Withheld numbers add up to the whole less the published bands. A quantile is in a band wherever a number of
    /// events that depends linearly on the withheld ones is on one side of a bound, so that it is enough to look at
    /// the fillings that put all of it into one band.
    package func reading(at quantile: Quantile) -> QuantileReading? {
        guard let fillings else { return nil }
        var found: Set<Int> = []
        var values: Set<Decimals> = []
        for filling in fillings {
            guard let place = Self.place(of: Double(quantile.perMille), in: filling) else { return nil }
            found.insert(place)
            if let value = value(at: quantile, in: filling, band: place) { values.insert(value) }
        }
        guard found.count == 1, let place = found.first else { return nil }
        let open = fillings.enumerated().map { bandsLeftOpen(at: quantile, in: $1, cells: cells(ofFilling: $0)) }
        let bounds = (open.map(\.lowerBound).min() ?? place)...(open.map(\.upperBound).max() ?? place)
        return QuantileReading(
            quantile: quantile, lowest: bounds.lowerBound > 0 ? Decimals(exactly: edges[bounds.lowerBound - 1]) : nil,
            highest: bounds.upperBound < edges.count ? Decimals(exactly: edges[bounds.upperBound]) : nil,
            value: values.count == 1 ? values.first : nil)
    }

    /// The bands whose values noise leaves open, and the draw of a sample: an edge is too low or too high where the
    /// events below it are surely fewer or more than the quantile's part of all, that is where the interval of their
    /// share does not meet it (Woodruff 1952).
    ///
    /// - Parameter cells: by band, what is added up in it.
    private func bandsLeftOpen(at quantile: Quantile, in filling: [Int64], cells: [Set<Int>]) -> ClosedRange<Int> {
        let part = Double(quantile.perMille) / 1000
        let events = filling.reduce(0, +)
        let (low, high) =
            rate < 1
            ? Interval.parts(at: quantile, events: events, rate: rate)
            : (Double(quantile.perMille), Double(quantile.perMille))
        let whole = cells.reduce(into: Set<Int>()) { $0.formUnion($1) }
        var (first, last) = (0, edges.count)
        var below: Set<Int> = []
        var reached = 0.0
        for band in edges.indices {
            below.formUnion(cells[band])
            reached += Double(filling[band])
            let variance = noise(below, below) - 2 * part * noise(below, whole) + part * part * noise(whole, whole)
            let spread = Interval.z * max(variance, 0).squareRoot() / Double(max(events, 1))
            let share = reached / Double(max(events, 1))
            if share < part - Interval.far(part - low / 1000, spread) { first = band + 1 }
            // Above all events that were kept, any band is possible.
            if high < 1000, share >= part + Interval.far(high / 1000 - part, spread) { last = min(last, band) }
        }
        return first...max(first, last)
    }

    /// Returns, for each band of a filling, the cells that the band is the sum of.
    private func cells(ofFilling number: Int) -> [Set<Int>] {
        let open = bands.indices.filter { bands[$0] == nil }
        let withheld = Set(open + (other == nil ? [bands.count] : []))
        return bands.indices.map { band in
            if bands[band] != nil { return [band] }
            return number < open.count && open[number] == band ? withheld : []
        }
    }

    /// The numbers of the bands with all that is withheld in one of them, a filling each; nil where it can't be told.
    private var fillings: [[Int64]]? {
        let known = bands.map { $0 ?? 0 }
        let open = bands.indices.filter { bands[$0] == nil }
        guard !open.isEmpty || other == nil else { return [known] }
        guard let whole else { return open.isEmpty ? [known] : nil }
        let rest = (known + [other ?? 0]).reduce(Int128(whole)) { $0 - Int128($1) }
        guard let left = Int64(exactly: rest), left >= 0 else { return nil }
        let fillings = open.map { place in known.indices.map { $0 == place ? left : known[$0] } }
        return fillings + (other == nil ? [known] : [])
    }

    /// The first band with which at least so many thousandths of the events are reached; nil where there are none.
    private static func place(of perMille: Double, in filling: [Int64]) -> Int? {
        let all = filling.reduce(0) { $0 + Double($1) }
        guard all > 0 else { return nil }
        var reached = 0.0
        for (place, events) in filling.enumerated() where events > 0 {
            reached += Double(events)
            if reached * 1000 >= perMille * all { return place }
        }
        return filling.lastIndex { $0 > 0 }
    }

    private func value(at quantile: Quantile, in filling: [Int64], band: Int) -> Decimals? {
        guard band > 0, band < edges.count else { return nil }
        let (low, high) = (edges[band - 1], edges[band])
        let all = filling.reduce(0) { $0 + Double($1) }
        let below = filling[..<band].reduce(0) { $0 + Double($1) }
        let part = (Double(quantile.perMille) / 1000 * all - below) / Double(filling[band])
        var (places, unit) = (0, 1.0)
        while unit * 10 > high - low, places < 9 { (places, unit) = (places + 1, unit / 10) }
        return Decimals(low + (high - low) * part, rounded: .toNearestOrEven, places: places)
    }
}

/// A value below which a given part of the events lies, as far as a histogram tells it: the band that holds it, and a
/// number inside the band if its events were spread evenly.
package struct QuantileReading: Sendable, Hashable {
    package let quantile: Quantile
    /// The lower end of the band; nil where it is open. Unit: the histogram's.
    package let lowest: Decimals?
    /// The upper end of the band; nil where it is open. Unit: the histogram's.
    package let highest: Decimals?
    /// The value by linear interpolation inside the band, rounded to a whole number. In a band of less than 10 it is
    /// rounded to the largest power of ten that is at most a tenth of the band's width. Nil where the band is open, or
    /// where withheld numbers decide the place inside it. Unit: the histogram's.
    package let value: Decimals?
}

/// The identifiers of a frequency's release that had at least so many events, as far as published numbers tell.
package struct ReachedTimes: Sendable {
    /// The first number of events of each band, ascending from 1. Unit: events of an identifier in its window.
    package let edges: [Int]
    package let whole: Int64
    private let bands: [Int64?]
    private let place: Int
    private let law: MarginLaw

    /// Reads a release; nil where it is of something else, or its total is withheld.
    package init?(_ release: Release) {
        let layout = release.header.layout
        guard case .frequency(let edges)? = layout.within, let law = MarginLaw(release.header),
            let place = layout.dimensions.lastIndex(where: { $0.coarsening == nil }),
            let whole = release.cell(CellIndex(0), in: .total)?.count, whole > 0
        else { return nil }
        let margin = Margin(keeping: [place])
        (self.edges, self.whole, self.place, self.law) = (edges, whole, place, law)
        bands = edges.indices.map { release.cell(layout.cell(buckets: [$0], in: margin), in: margin)?.count }
    }

    /// A number of identifiers, its margin (19 of 20), and the noise of its part of the whole.
    package struct Number: Sendable {
        package let count: Int64
        package let margin: Int64
        package let noise: QuotientNoise
    }

    /// Returns the bounds of how many had as many events as a band begins with: the numbers of later bands, and the whole
    /// less those of earlier ones, as far as they are published. They are one where all on either side are; nil where
    /// the release has no such grouping.
    package func reached(_ band: Int) -> (least: Number, most: Number, isTold: Bool)? {
        let told = edges.indices.filter { bands[$0] != nil }
        let (earlier, later) = (told.filter { $0 < band }, told.filter { $0 >= band })
        func sum(_ places: [Int]) -> Int128 { places.reduce(0) { $0 + Int128(bands[$1] ?? 0) } }
        guard let least = number(sum(later), Set(later)),
            let most = number(max(Int128(whole) - sum(earlier), 0), Set(edges.indices).subtracting(earlier))
        else { return nil }
        if later.count == edges.count - band { return (least, least, true) }
        return earlier.count == band ? (most, most, true) : (least, most, false)
    }

    private func number(_ count: Int128, _ bands: Set<Int>) -> Number? {
        guard let part = law.number([place: bands], of: .count),
            let noise = QuotientNoise(part, over: law.number([:], of: .count))
        else { return nil }
        return Number(count: Int64(clamping: count), margin: part.margin, noise: noise)
    }
}

extension Insight {
    /// Returns the part of the insight that a release still answers where age has taken dimensions that it is broken
    /// down by. Each such dimension gives way to the finest one that is made of the same and that numbers are kept by,
    /// or to none.
    ///
    /// - Returns: the coarser insight and, in the order of ``by``, what gave way to what; nil where nothing of it is
    ///   left, or age took nothing.
    func coarsened(
        to release: Release, plan: Plan
    ) -> (insight: Insight, aged: [(from: DimensionName, to: DimensionName?)])? {
        guard by.contains(where: release.aged.contains) else { return nil }
        let choices = by.map { name -> [DimensionName?] in
            release.aged.contains(name) ? release.coarser(than: name).map(Optional.some) + [nil] : [name]
        }
        let combinations = choices.reduce([[]]) { all, names in all.flatMap { head in names.map { head + [$0] } } }
        for names in combinations {
            let left = names.compactMap(\.self)
            var insight = self
            (insight.by, insight.view) = (left, view.splitting(left.isEmpty))
            guard Set(left).count == left.count,
                InsightReading(of: insight, plan: plan, release: release) != nil
            else { continue }
            return (insight, zip(by, names).filter { $0 != $1 }.map { (from: $0, to: $1) })
        }
        return nil
    }

    func isAged(in release: Release, plan: Plan) -> Bool {
        var names = usedDimensions
        switch kind {
        case .retention(let answer), .frequency(let answer), .funnel(let answer): names.append(answer)
        case .distribution, .quantiles: names += [plan.metric(metric)?.histogram?.name].compactMap(\.self)
        case .count, .reach, .share, .mean: break
        }
        return names.contains(where: release.aged.contains)
    }
}

extension Insight.View {
    /// A single number has no rank.
    fileprivate func splitting(_ isSingle: Bool) -> Self {
        if isSingle, case .ranking = self { return .table }
        return self
    }
}

extension Release {
    /// The dimensions that are made of the same one as another, that is the same field's finer buckets, and that age
    /// has left; the finest first.
    fileprivate func coarser(than name: DimensionName) -> [DimensionName] {
        let dimensions = header.layout.dimensions
        guard let place = dimensions.firstIndex(where: { $0.name == name }) else { return [] }
        let base = dimensions[place].coarsening?.place ?? place
        return dimensions.indices.filter {
            $0 != place && dimensions[$0].coarsening?.place == base && !aged.contains(dimensions[$0].name)
        }.sorted { (-dimensions[$0].labels.count, $0) < (-dimensions[$1].labels.count, $1) }.map { dimensions[$0].name }
    }
}
