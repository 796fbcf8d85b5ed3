import ThrongPlan
import ThrongRelease

/// A few metrics over the same countries, each with a second dimension of its own, small enough to enumerate every
/// table that agrees with what they published.
struct TiedTown {
    /// How many countries there are.
    let countries: Int
    /// k.
    let threshold: Int64
    /// By metric.
    private(set) var metrics: [Counted] = []
    /// What was published, in the order in which it was decided.
    private(set) var releases: [Release] = []

    /// One metric.
    struct Counted {
        let name: MetricName
        let events: [EventName]
        let layout: MetricLayout
        /// By leaf. Unit: events, each of a device of its own.
        let values: [Int64]
        let groupings: [Margin]
        let period: Period

        var cube: StoredCube {
            var distinct: [StoredDistinct] = []
            for margin in layout.trackedMargins {
                var sums: [CellIndex: Int64] = [:]
                for (leaf, value) in values.enumerated() {
                    sums[layout.project(CellIndex(UInt32(leaf)), from: layout.leaf, to: margin), default: 0] += value
                }
                distinct += sums.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map {
                    StoredDistinct(
                        margin: margin, cell: $0.key, window: WindowNumber(period.start.value), devices: $0.value)
                }
            }
            let occupied = values.enumerated().filter { $0.element > 0 }.map {
                (CellIndex(UInt32($0.offset)), $0.element)
            }
            // Each device spends 10, so that no sum is dominated unless its cell is small.
            let sums = layout.sums.isEmpty ? [] : occupied
            return StoredCube(
                layout: layout, period: period,
                counters: occupied.map { StoredCounter(measure: .count, cell: $0, value: $1) }
                    + sums.map { StoredCounter(measure: .sum(0), cell: $0, value: 10 * $1) },
                distinct: distinct,
                top: (layout.sums.isEmpty ? [] : distinct).map {
                    StoredTop(
                        margin: $0.margin, cell: $0.cell, measure: .sum(0), window: $0.window, largest: 10,
                        second: $0.devices > 1 ? 10 : 0)
                })
        }

        var counted: CountedEvents {
            CountedEvents(names: Set(events), audience: .terms(needsConsent: false, refusedBy: []))
        }

        /// - Parameter kept: what it counted, as it was kept; nil where nobody did.
        func tied(_ releases: [Release], kept: CountedEvents? = nil) -> TiedMetric {
            TiedMetric(
                counted: kept ?? counted, layout: layout, parts: [cube],
                releases: releases.filter { $0.header.layout == layout && $0.header.period == period },
                countedInLayout: kept)
        }
    }

    init(countries: Int, threshold: Int64) {
        self.countries = countries
        self.threshold = threshold
    }

    static let day = Period(kind: .day, start: .epoch, end: UnixSeconds(86_400))

    /// Adds a metric of so many buckets a country.
    mutating func add(
        _ name: MetricName, events: [EventName], values: [Int64], groupings: [Margin], period: Period = day,
        spending: Bool = false
    ) {
        let buckets = values.count / countries
        let dimensions = [
            MetricLayout.DimensionLayout(
                name: "country", labels: (0..<countries).map { BucketLabel("c\($0)") }, partitionsDevices: true,
                rule: "list"),
            MetricLayout.DimensionLayout(
                name: DimensionName("kind_of_\(name)"), labels: (0..<buckets).map { BucketLabel("b\($0)") },
                partitionsDevices: true, rule: "list"),
        ]
        metrics.append(
            Counted(
                name: name, events: events,
                layout: MetricLayout(
                    app: "town", metric: name, purpose: "daily", rotation: .longest, period: period.kind,
                    timeZone: "UTC", dimensions: dimensions,
                    sums: spending
                        ? [SumMeasure(name: "spent", field: "spent", lowest: 0, highest: 10, decimals: 0, unit: "")]
                        : [], contributionBound: 1, groupings: groupings),
                values: values, groupings: groupings, period: period))
    }

    /// Decides one release after the other; `isTied` or as if each were alone.
    ///
    /// - Parameters:
    ///   - knowsLayouts: whether it was kept what was counted in each layout, as a daemon does.
    ///   - since: from when on by what was kept; nil for all of the time.
    mutating func decide(
        isTied: Bool, knowsLayouts: Bool = false, since: UnixSeconds? = nil, seconds: Double = 10
    ) throws {
        releases = []
        let kept = knowsLayouts ? history(since: since) : nil
        for (place, metric) in metrics.enumerated() {
            let header = ReleaseHeader(
                layout: metric.layout, period: metric.period, plan: PlanVersion(hex: "00"),
                threshold: Threshold(devices: threshold), sampling: 1, reach: false, groupings: metric.groupings,
                events: metric.events)
            let others = metrics.indices.filter { $0 != place }.map {
                metrics[$0].tied(releases, kept: kept?.counted(in: Int64($0)))
            }
            let own = kept?.counted(in: Int64(place))
            let decision = try ReleaseCase(
                header: header, parts: [metric.cube], tied: isTied ? others : [], counted: own, countedInLayout: own
            ).decide(ReleaseOptions(seed: 7, proofSeconds: seconds))
            releases.append(decision.release)
        }
    }

    /// What was kept of what they count.
    private func history(since: UnixSeconds?) -> TermsHistory {
        let versions = metrics.enumerated().map { place, metric in
            TermsVersion(
                metric: metric.name, layout: Int64(place), since: since, until: nil,
                terms: ReleaseTerms(threshold: Threshold(devices: threshold), counted: metric.counted))
        }
        let (start, end) = (metrics.map(\.period.start).min(), metrics.map(\.period.end).max())
        return TermsHistory(versions, from: start ?? .epoch, to: end ?? .epoch)
    }

    /// Sums of countries that tables of a metric can have, given what it published, with the values that each of its
    /// cells then takes.
    private func tables(_ place: Int, most: Int64) -> [[Int64]: [(least: [Int64], most: [Int64])]] {
        let metric = metrics[place]
        let release = releases.first { $0.header.layout == metric.layout && $0.header.period == metric.period }
        let equations = (release?.cells ?? []).map { cell in
            (
                value: cell.count,
                leaves: metric.values.indices.filter {
                    metric.layout.project(CellIndex(UInt32($0)), from: metric.layout.leaf, to: cell.margin)
                        == cell.cell
                }
            )
        }
        let last = metric.values.indices.map { leaf in equations.filter { $0.leaves.last == leaf } }
        let open = metric.values.indices.map { leaf in equations.filter { $0.leaves.contains(leaf) } }
        let cells = Self.cells(of: metric)
        let buckets = metric.values.count / countries
        var found: [[Int64]: [(least: [Int64], most: [Int64])]] = [:]
        var table = Array(repeating: Int64(0), count: metric.values.count)
        func fill(_ leaf: Int) {
            if leaf == table.count {
                let sums = (0..<countries).map { country in
                    table[country * buckets..<(country + 1) * buckets].reduce(0, +)
                }
                let values = cells.map { $0.reduce(0) { $0 + table[$1] } }
                var range = found[sums]?.first ?? (values, values)
                for cell in values.indices {
                    range.least[cell] = min(range.least[cell], values[cell])
                    range.most[cell] = max(range.most[cell], values[cell])
                }
                found[sums] = [range]
                return
            }
            let highest =
                open[leaf].map { equation in
                    equation.value - equation.leaves.filter { $0 < leaf }.reduce(0) { $0 + table[$1] }
                }.min() ?? most
            guard highest >= 0 else { return }
            for value in 0...min(most, highest) {
                table[leaf] = value
                if last[leaf].allSatisfy({ $0.leaves.reduce(0) { $0 + table[$1] } == $0.value }) { fill(leaf + 1) }
            }
            table[leaf] = 0
        }
        fill(0)
        return found
    }

    /// Every grouping's cells, as leaves.
    private static func cells(of metric: Counted) -> [[Int]] {
        [Margin.total, Margin(keeping: [0]), Margin(keeping: [1]), metric.layout.leaf].flatMap { margin in
            (0..<metric.layout.size(of: margin)).map { cell in
                metric.values.indices.filter {
                    metric.layout.project(CellIndex(UInt32($0)), from: metric.layout.leaf, to: margin)
                        == CellIndex(UInt32(cell))
                }
            }
        }
    }

    /// The small cells of any metric that everything published gives away, when the sums of countries agree.
    ///
    /// - Parameters:
    ///   - most: the largest leaf that is tried.
    ///   - agree: whether sums by metric, by country, can be true together.
    func givenAway(most: Int64, agree: ([[Int64]]) -> Bool) -> [String] {
        let all = metrics.indices.map { tables($0, most: most) }
        var ranges = metrics.map { metric in Self.cells(of: metric).map { _ in (least: Int64.max, most: Int64.min) } }
        func join(_ sums: [[Int64]]) {
            if sums.count < all.count {
                for next in all[sums.count].keys { join(sums + [next]) }
                return
            }
            guard agree(sums) else { return }
            for (place, key) in sums.enumerated() {
                guard let range = all[place][key]?.first else { continue }
                for cell in range.least.indices {
                    ranges[place][cell].least = min(ranges[place][cell].least, range.least[cell])
                    ranges[place][cell].most = max(ranges[place][cell].most, range.most[cell])
                }
            }
        }
        join([])
        var found: [String] = []
        for (place, metric) in metrics.enumerated() {
            for (cell, leaves) in Self.cells(of: metric).enumerated() {
                let value = leaves.reduce(0) { $0 + metric.values[$1] }
                guard value > 0, value < threshold else { continue }
                let range = ranges[place][cell]
                if range.most < threshold || range.least == range.most {
                    found.append("\(metric.name) \(leaves): \(value) lies in \(range.least)...\(range.most)")
                }
            }
        }
        return found
    }
}
