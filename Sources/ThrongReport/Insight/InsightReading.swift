package import ThrongPlan
package import ThrongRelease

/// Reads the cells that an insight asks for out of a release.
///
/// Fails with nil where the release does not show them at all: a dimension, bucket, sum or grouping that its layout
/// does not have; and before it is drawn. That is public; which of the cells that it does show are withheld is the
/// release's decision.
package struct InsightReading {
    package let axes: [MetricLayout.DimensionLayout]
    /// The buckets that have rows, by axis: those that readers see, without an `other` that nothing can land in.
    package let shown: [[Int]]
    /// The dimensions whose `other` nothing can land in.
    private let closed: Set<Int>
    let kind: Insight.Kind
    let release: Release
    let law: MarginLaw
    private var sum: (place: Int, decimals: Int)?
    let places: [Int]
    let base: [Place]
    private(set) var part: [Place] = []
    /// The week of a retention whose devices are the whole; nil for other kinds.
    private var start: Place?
    /// The histogram of quantiles: its place among the dimensions and its edges.
    private var histogram: (dimension: Int, edges: [Double])?

    /// One dimension fixed to one bucket, both as indices of the layout.
    struct Place {
        let dimension: Int
        let bucket: Int
    }

    package init?(of insight: Insight, plan: Plan, release: Release) {
        let layout = release.header.layout
        let metric = plan.metric(insight.metric)
        func place(_ filter: Insight.Filter) -> Place? {
            guard let dimension = layout.dimensions.firstIndex(where: { $0.name == filter.dimension }),
                let bucket = layout.dimensions[dimension].labels.firstIndex(of: filter.bucket)
            else { return nil }
            return Place(dimension: dimension, bucket: bucket)
        }
        guard let law = MarginLaw(release.header) else { return nil }
        (self.law, kind, self.release) = (law, insight.kind, release)
        var names = insight.by
        switch insight.kind {
        case .count: break
        case .reach: guard release.header.reach else { return nil }
        case .share(let basis, let filter):
            guard basis == .events || release.header.reach else { return nil }
            part = [filter].compactMap { $0 }.compactMap(place)
            guard part.count == (filter == nil ? 0 : 1) else { return nil }
        case .mean(let name):
            guard let found = layout.sums.firstIndex(where: { $0.name == name }) else { return nil }
            sum = (found, layout.sums[found].decimals)
        case .retention(let answer), .frequency(let answer), .funnel(let answer):
            names.append(answer)
            if case .retention = insight.kind {
                // Week 0 is the first of the list.
                guard let week = layout.dimensions.firstIndex(where: { $0.name == answer }),
                    let bucket = layout.dimensions[week].labels.firstIndex(of: BucketLabel("0"))
                else { return nil }
                start = Place(dimension: week, bucket: bucket)
            }
        case .distribution:
            guard let histogram = metric?.histogram else { return nil }
            names.append(histogram.name)
        case .quantiles:
            guard let measure = metric?.histogram,
                let place = layout.dimensions.firstIndex(where: { $0.name == measure.name }),
                Self.isSplit(layout.dimensions[place], at: measure.edges)
            else { return nil }
            histogram = (place, measure.edges)
        }
        base = insight.filters.compactMap(place)
        places = names.compactMap { name in layout.dimensions.firstIndex { $0.name == name } }
        axes = places.map { layout.dimensions[$0] }
        let closed = plan.closedDimensions(of: release.header)
        self.closed = closed
        shown = places.map { place in
            let buckets = layout.dimensions[place].shownBuckets
            return closed.contains(place) ? buckets.dropLast() : buckets
        }
        guard base.count == insight.filters.count, places.count == names.count else { return nil }
        let rows = (base + part).map(\.dimension) + places
        guard Set(rows).count == rows.count, release.shows(Margin(keeping: rows)) else { return nil }
        if let histogram, !release.shows(Margin(keeping: rows + [histogram.dimension])) { return nil }
        guard release.shows(Margin(keeping: base.map(\.dimension) + places)) else { return nil }
    }

    /// True if a release's bands are those of the plan's edges, which may have changed since.
    private static func isSplit(_ dimension: MetricLayout.DimensionLayout, at edges: [Double]) -> Bool {
        do {
            let bands = try BucketingRule.bands(edges: edges).labels().prefix(edges.count + 1)
            return dimension.labels.starts(with: bands)
        } catch { return false }
    }

    /// The groupings whose numbers the rows are.
    package var groupings: [Margin] {
        let rows = (base + part).map(\.dimension) + places
        return [
            Margin(keeping: rows + [histogram?.dimension].compactMap { $0 }), Margin(keeping: base.map(\.dimension)),
        ]
    }

    package var table: AnswerTable {
        if case .quantiles(let quantiles) = kind { return table(of: quantiles) }
        if case .funnel = kind { return funnelTable }
        var rows: [AnswerRow] = []
        var covered: Int64 = 0
        for buckets in combinations {
            let split = zip(places, buckets).map { Place(dimension: $0, bucket: $1) }
            let figure = figure(of: split)
            if case .published = figure, let cell = cell(base + split) {
                covered = covered.addingReportingOverflow(cell.count).partialValue
            }
            rows.append(AnswerRow(buckets: zip(axes, buckets).map { $0.labels[$1] }, figure: figure))
        }
        return AnswerTable(rows: rows, whole: whole, rest: rest(of: rows, covered: covered))
    }

    private var whole: Figure? {
        guard !axes.isEmpty, shows(base), start == nil else { return nil }
        if case .share = kind { guard !part.isEmpty, shows(base + part) else { return nil } }
        return figure(of: [])
    }

    /// Returns the whole less some rows, in the answer's terms. Nil where the rows do not add up to the whole, where
    /// the whole is withheld, or where the rest can't be told from nothing.
    package func rest(besides shown: [Quantity]) -> Quantity? {
        guard kind.counts == .events, let left = whole?.quantity?.without(shown), isTold(left.amount ?? 0) else {
            return nil
        }
        return left
    }

    /// True if the rest of the whole can be told from nothing.
    private func isTold(_ left: Int64) -> Bool {
        release.header.threshold.isReached(by: left) && left > withinWhole ?? 0
    }

    private func table(of quantiles: [Quantile]) -> AnswerTable {
        guard let histogram else { return AnswerTable(rows: [], whole: nil, rest: nil) }
        var rows: [AnswerRow] = []
        var covered: Int64 = 0
        var hasWithheld = false
        for buckets in combinations {
            let split = zip(places, buckets).map { Place(dimension: $0, bucket: $1) }
            func events(_ band: Int) -> Int64? {
                let place = base + split + [Place(dimension: histogram.dimension, bucket: band)]
                return cell(place)?.count ?? (isImpossible(place) ? 0 : nil)
            }
            let bands = (0...histogram.edges.count).map(events)
            // The bucket `other`, behind the bands, holds the events without a number.
            let last = histogram.edges.count + 1
            let labels = release.header.layout.dimensions[histogram.dimension].labels
            let other = last < labels.count && !closed.contains(histogram.dimension) ? events(last) : 0
            hasWithheld = hasWithheld || (bands + [other]).contains(nil)
            covered = (bands + [other]).reduce(covered) { $0.addingReportingOverflow($1 ?? 0).partialValue }
            let counts = BandCounts(
                edges: histogram.edges, bands: bands, other: other, whole: cell(base + split)?.count,
                rate: release.header.sampling, noise: bandNoise(split, histogram: histogram.dimension))
            for quantile in quantiles {
                let figure =
                    isImpossible(base + split)
                    ? Figure.impossible : counts.reading(at: quantile).map { .published(.quantile($0)) } ?? .withheld
                let group = zip(axes, buckets).map { $0.labels[$1] }
                rows.append(AnswerRow(buckets: group + [BucketLabel("\(quantile)")], figure: figure))
            }
        }
        var rest: AnswerRest?
        if let whole = cell(base), whole.count > 0, covered >= 0, covered <= whole.count {
            let left = whole.count - covered
            rest = AnswerRest(
                events: left, whole: whole.count, quantity: nil, hasWithheld: hasWithheld, isTold: isTold(left))
        }
        return AnswerTable(rows: rows, whole: nil, rest: rest)
    }

    private func rest(of rows: [AnswerRow], covered: Int64) -> AnswerRest? {
        guard let whole = cell(base), whole.count > 0, covered >= 0, covered <= whole.count else { return nil }
        // A single withheld number says nothing about a whole of its own.
        if axes.isEmpty && covered == 0 { return nil }
        let hasWithheld = rows.contains { $0.figure == .withheld }
        let isLine = !axes.isEmpty && hasWithheld && kind.counts == .events
        let left = whole.count - covered
        return AnswerRest(
            events: left, whole: whole.count,
            quantity: isLine ? self.whole?.quantity?.without(rows.compactMap(\.figure.quantity)) : nil,
            hasWithheld: hasWithheld, isTold: isTold(left))
    }

    private func figure(of split: [Place]) -> Figure {
        guard let cell = cell(base + split) else { return isImpossible(base + split) ? .impossible : .withheld }
        let quantity: Quantity?
        switch kind {
        case .count where isWithin, .frequency where isWithin: quantity = drawn(cell.count, .identifiers, split)
        case .count, .distribution: quantity = scaled(cell.count, .events, split)
        case .frequency: quantity = scaled(cell.count, .devices, split)
        case .quantiles, .funnel: quantity = nil
        case .retention: quantity = retention(cell, split)
        case .reach: quantity = cell.amount(of: .devices).map { drawn($0, .devices, split) }
        case .mean: quantity = mean(cell, split)
        case .share(let basis, _): quantity = share(cell, split, of: basis)
        }
        return quantity.map { .published($0) } ?? .withheld
    }

    private func retention(_ cell: PublishedCell, _ split: [Place]) -> Quantity? {
        guard let start else { return nil }
        let first = split.filter { $0.dimension != start.dimension } + [start]
        guard let whole = self.cell(base + first)?.count, whole > 0 else { return nil }
        if split.contains(where: { $0.dimension == start.dimension && $0.bucket == start.bucket }) {
            return .settled(part: cell.count, whole: whole)
        }
        return retentionNoise(split, over: first).map { .share(part: cell.count, whole: whole, noise: $0) }
    }

    private func mean(_ cell: PublishedCell, _ split: [Place]) -> Quantity? {
        guard let sum, sum.place < cell.sums.count, cell.count > 0 else { return nil }
        return meanNoise(split, sum: sum.place).map {
            .mean(sum: cell.sums[sum.place], decimals: sum.decimals, events: cell.count, noise: $0)
        }
    }

    private func share(_ cell: PublishedCell, _ split: [Place], of basis: Insight.Basis) -> Quantity? {
        let numerator = part.isEmpty ? cell.amount(of: basis) : amount(base + split + part, of: basis)
        let denominator = part.isEmpty ? self.cell(base) : cell
        guard let amount = numerator, let whole = denominator?.amount(of: basis), whole > 0 else { return nil }
        if !part.isEmpty, isImpossible(base + split + part) { return .settled(part: amount, whole: whole) }
        return shareNoise(split).map { .share(part: amount, whole: whole, noise: $0) }
    }

    /// A number of independent events or answers: of a sample, all of them as they are estimated.
    private func scaled(_ count: Int64, _ counts: Counted, _ split: [Place]) -> Quantity {
        let rate = release.header.sampling
        if rate < 1 { return .estimate(Estimate(counted: count, rate: rate, counts: counts)) }
        return drawn(count, counts, split)
    }

    /// A number with its margin. A device in a sample may have been in it by any of its events, so that a number of
    /// devices can't be scaled up.
    private func drawn(_ number: Int64, _ counts: Counted, _ split: [Place]) -> Quantity {
        .drawn(number, of: counts, within: within(split))
    }

    /// A published amount, or zero where everybody knows it; nil is withheld.
    private func amount(_ fixed: [Place], of basis: Insight.Basis) -> Int64? {
        cell(fixed).map { $0.amount(of: basis) } ?? (isImpossible(fixed) ? 0 : nil)
    }

    private func cell(_ fixed: [Place]) -> PublishedCell? {
        let (cell, margin) = address(fixed)
        return release.shows(margin) ? release.cell(cell, in: margin) : nil
    }

    private func isImpossible(_ fixed: [Place]) -> Bool {
        let (cell, margin) = address(fixed)
        return release.header.layout.isImpossible(cell, in: margin)
    }

    private func address(_ fixed: [Place]) -> (cell: CellIndex, margin: Margin) {
        let sorted = fixed.sorted { $0.dimension < $1.dimension }
        let margin = Margin(keeping: sorted.map(\.dimension))
        return (release.header.layout.cell(buckets: sorted.map(\.bucket), in: margin), margin)
    }

    private var isWithin: Bool { release.header.layout.within != nil }

    private func shows(_ fixed: [Place]) -> Bool { release.shows(Margin(keeping: fixed.map(\.dimension))) }

    package var groups: [[Int]] {
        shown.dropLast().reduce([[]]) { partial, buckets in partial.flatMap { head in buckets.map { head + [$0] } } }
    }

    package func labels(of group: [Int]) -> [BucketLabel] { zip(axes, group).map { $0.labels[$1] } }

    /// Returns the published number of a group at one step, or of all of the group; nil where none is published.
    package func count(in group: [Int], step: Int?) -> Int64? {
        let split = zip(places, group + [step].compactMap { $0 }).map { Place(dimension: $0, bucket: $1) }
        return cell(base + split)?.count
    }

    var combinations: [[Int]] {
        shown.reduce([[]]) { partial, buckets in partial.flatMap { head in buckets.map { head + [$0] } } }
    }

    /// Those that took at least each step: its cell and the later ones. Where a later one is withheld, the whole less
    /// the earlier ones; where one of these is, too, nobody can tell.
    package var funnelTable: AnswerTable {
        guard let step = axes.last else { return AnswerTable(rows: [], whole: nil, rest: nil) }
        let steps = step.labels.count
        let numbers = reachedNumbers
        var rows: [AnswerRow] = []
        for group in groups {
            let cells = (0..<steps).map { count(in: group, step: $0) }
            let whole = count(in: group, step: nil)
            for place in 0..<steps {
                let reached = Self.sum(cells[place...]) ?? Self.difference(whole, Self.sum(cells[..<place]))
                let quantity = reached.map { Quantity.drawn($0, of: .identifiers, within: numbers[rows.count]?.margin) }
                rows.append(
                    AnswerRow(
                        buckets: labels(of: group) + [step.labels[place]],
                        figure: quantity.map { .published($0) } ?? .withheld))
            }
        }
        return AnswerTable(rows: rows, whole: nil, rest: nil)
    }

    package var stages: [AnswerStage] {
        let numbers = reachedNumbers
        return AnswerStage.all(funnelTable.rows.map(\.figure), steps: max(axes.last?.labels.count ?? 1, 1)) {
            QuotientNoise(numbers[$0], over: numbers[$1])
        }
    }

    /// The noise, by row, of those that took at least the row's step: sums of several cells are further off than one
    /// cell is.
    private var reachedNumbers: [DrawnNumber?] {
        let steps = axes.last?.labels.count ?? 0
        return groups.flatMap { group in (0..<steps).map { reached(in: group, from: $0, of: steps) } }
    }

    private static func sum(_ cells: ArraySlice<Int64?>) -> Int64? {
        cells.contains(nil) ? nil : Int64(exactly: cells.reduce(Int128(0)) { $0 + Int128($1 ?? 0) })
    }

    private static func difference(_ whole: Int64?, _ part: Int64?) -> Int64? {
        guard let whole, let part, part < whole else { return nil }
        return whole - part
    }
}

extension PublishedCell {
    fileprivate func amount(of basis: Insight.Basis) -> Int64? {
        switch basis {
        case .events: count
        case .devices: firsts ?? reach?.devices
        }
    }
}
