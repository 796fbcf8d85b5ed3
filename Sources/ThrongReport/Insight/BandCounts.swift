package import ThrongPlan

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
        var left = whole
        for part in known + [other ?? 0] {
            let (difference, overflow) = left.subtractingReportingOverflow(part)
            guard !overflow, difference >= 0 else { return nil }
            left = difference
        }
        var fillings = open.map { place in
            var filling = known
            filling[place] = left
            return filling
        }
        if other == nil { fillings.append(known) }
        return fillings
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
        var places = 0
        var unit = 1.0
        while unit * 10 > high - low, places < 9 {
            places += 1
            unit /= 10
        }
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
