internal import Foundation
package import ThrongPlan
internal import ThrongRelease
internal import ThrongSystem

/// The numbers of one metric that a period would show.
package struct MetricForecast: Sendable, Encodable {
    package let metric: String
    package let period: PeriodKind
    /// Its groupings; none where the crowd has none of its events.
    package let groupings: [GroupingForecast]
    /// The events that its bound cuts; nil where it counts identifiers, releases choose the bound, or the crowd has none of
    /// its events.
    package let bound: BoundForecast?
    /// The time until its first number at the latest, counted from when it begins to count; nil where its total is
    /// published of less than half of the days. Unit: hours.
    package let firstNumberHours: Int?
    /// The devices a day that its total takes to be published, where it is not. Nil where it is, or where nobody is in
    /// it.
    package let devicesForTotal: Int?
    package let decay: [DecayCost]

    /// - Parameters:
    ///   - kind: the metric's period, or one of its rollups, of which neither bound nor decay is told again.
    ///   - doubt: see ``Forecast/doubt``.
    init(
        _ metric: Metric, by kind: PeriodKind, of plan: Plan, _ days: [ForecastDay], sent: [Int64: Int], devices: Int,
        doubt: Double
    ) {
        (self.metric, period) = (metric.name.text, kind)
        let made = days.map { $0.made.filter { $0.cube.layout.metric == metric.name && $0.cube.period.kind == kind } }
        let isOwn = kind == metric.period
        groupings = zip(plan.groupings(of: metric), plan.groupingNames(of: metric)).compactMap {
            GroupingForecast($0, named: $1, on: made, doubt: doubt)
        }
        bound =
            isOwn && metric.within == nil && !metric.choosesBound ? BoundForecast(metric.contributionBound, sent) : nil
        let shown = made.count { $0.contains { $0.decision.release.cell(CellIndex(0), in: .total) != nil } }
        let isShown = shown > 0 && 2 * shown >= made.count { !$0.isEmpty }
        let wait = kind.longestSeconds + plan.app.grace.components.seconds
        firstNumberHours = isShown ? Int((wait + 3599) / 3600) : nil
        devicesForTotal = isShown ? nil : Self.devicesForTotal(metric.threshold.devices, made.flatMap { $0 }, devices)
        decay = isOwn ? DecayCost.all(of: metric, plan, made.flatMap { $0 }) : []
    }

    /// Estimates the devices for which the total would be published, in proportion to how far the best of its periods
    /// came; nil where no withheld total tells.
    private static func devicesForTotal(_ k: Int64, _ made: [ForecastDay.Made], _ devices: Int) -> Int? {
        let floors = made.flatMap(\.decision.withheld).compactMap { cell -> Int64? in
            guard cell.margin == .total else { return nil }
            guard case .small(let floor) = cell.reason else { return k }
            return floor.devices
        }
        guard let best = floors.max(), best > 0 else { return nil }
        let needed = k + (made.compactMap { $0.decision.release.header.deviceMargin(of: .total) }.max() ?? 0)
        return Int((Int64(devices) * needed + best - 1) / best)
    }
}

/// The numbers that a step of a metric's decay takes, at its age.
package struct DecayCost: Sendable, Hashable, Encodable {
    /// `after 90 days, drop screen`.
    package let step: String
    /// The published numbers of one period that are there before the step.
    package let numbersBefore: Int
    /// The numbers that the step leaves; none of shorter periods that became a longer one.
    package let numbersAfter: Int

    /// All steps of a metric, in the order of age.
    static func all(of metric: Metric, _ plan: Plan, _ made: [ForecastDay.Made]) -> [DecayCost] {
        guard let layout = made.first?.cube.layout else { return [] }
        /// The numbers of a period that are left after so many steps.
        func numbers(after steps: some Sequence<DecayStep>) -> Int {
            let left = steps.reduce(into: Set(plan.groupings(of: metric))) { left, step in
                left = left.filter { step.leaves($0, of: metric, layout) }
            }
            return made.reduce(0) { $0 + $1.decision.release.cells.count { left.contains($0.margin) } } / made.count
        }
        return metric.decay.indices.map { place in
            DecayCost(
                step: metric.decay[place].words, numbersBefore: numbers(after: metric.decay[..<place]),
                numbersAfter: numbers(after: metric.decay[...place]))
        }
    }
}

extension DecayStep {
    /// True where numbers of a grouping are still there afterwards.
    fileprivate func leaves(_ margin: Margin, of metric: Metric, _ layout: MetricLayout) -> Bool {
        func keeps(_ name: DimensionName) -> Bool {
            layout.dimensions.indices.contains { layout.dimensions[$0].name == name && margin.keeps($0) }
        }
        return switch action {
        case .drop(let name), .coarsen(let name, to: _): !keeps(name)
        case .keep(let kind): metric.period >= kind
        case .keepTotals: margin == .total
        case .delete: false
        }
    }

    /// `after 90 days, drop screen`.
    fileprivate var words: String {
        let what =
            switch action {
            case .drop(let name): "drop \(name)"
            case .coarsen(let name, let to): "coarsen \(name) to \(to)"
            case .keep(let kind): "keep \(kind.rawValue)s"
            case .keepTotals: "keep totals"
            case .delete: "delete all"
            }
        return "after \(after.planText), \(what)"
    }
}

/// The numbers of one grouping of a metric that a day would show, in the median of the days.
package struct GroupingForecast: Sendable, Hashable, Encodable {
    /// The dimensions that it keeps; none is the total.
    package let dimensions: [String]
    /// The share of the counted events that is in numbers that are shown, in the mean of the days: 0 to 1.
    package let shown: Double
    /// The range in which that share is on 19 of 20 days.
    package let shownFrom: Double
    package let shownTo: Double
    package let numbers: Int
    /// The count of numbers with k devices or more behind them. Those that are not shown are close to k.
    package let reached: Int
    /// The distance within which 19 of 20 shown numbers of events are. Unit: events.
    package let eventMargin: Int64
    /// The same of numbers of devices; nil without identifiers. Unit: devices.
    package let deviceMargin: Int64?

    /// Looks at the days on which anything was counted; nil where there are none.
    init?(_ grouping: Margin, named names: [DimensionName], on days: [[ForecastDay.Made]], doubt: Double = 0) {
        let days = days.filter { !$0.isEmpty }.map { OneDay(grouping, $0) }.filter { $0.events > 0 }
        guard let numbers = days.map(\.numbers).median, let reached = days.map(\.reached).median,
            let eventMargin = days.map(\.eventMargin).median
        else { return nil }
        dimensions = names.map(\.text)
        // What is close to k is shown on some of the days, and the median of those is all or nothing.
        shown = days.reduce(0) { $0 + $1.share } / Double(days.count)
        // A few days see less than all that chance does: the range is wider by a sixth at each end, of one week by half.
        let shares = days.map(\.share).sorted()
        let (least, most) = (shares[days.count / 50], shares[days.count - 1 - days.count / 50])
        let more = (most - least) / (days.count < 20 ? 2 : 6) + doubt
        (shownFrom, shownTo) = (max(0, least - more), min(1, most + more))
        (self.numbers, self.reached, self.eventMargin) = (numbers, reached, eventMargin)
        deviceMargin = days.compactMap(\.deviceMargin).median
    }

    /// One day's periods together.
    private struct OneDay {
        /// All that were counted.
        var events: Int64 = 0
        var shownEvents: Int64 = 0
        var numbers = 0
        var reached = 0
        /// The widest of its periods.
        var eventMargin: Int64 = 0
        var deviceMargin: Int64?

        init(_ grouping: Margin, _ made: [ForecastDay.Made]) {
            for one in made {
                let counted = one.events(by: grouping)
                let release = one.decision.release
                let shown = release.cells.filter { $0.margin == grouping }
                events += counted.values.reduce(0, +)
                shownEvents += shown.reduce(0) { $0 + (counted[$1.cell] ?? 0) }
                numbers += shown.count
                let near = one.decision.withheld.count { $0.margin == grouping && $0.reason == .nearThreshold }
                reached += shown.count + near
                eventMargin = max(eventMargin, release.header.margin(of: grouping) ?? 0)
                deviceMargin = [deviceMargin, release.header.deviceMargin(of: grouping)].compactMap { $0 }.max()
            }
        }

        var share: Double { events > 0 ? Double(shownEvents) / Double(events) : 0 }
    }
}

/// The events that a metric's `contribution_bound` cuts, and the smallest one that cuts little.
///
/// Margins of events and sums are in proportion to the bound, so one that is never reached is expensive.
package struct BoundForecast: Sendable, Hashable, Encodable {
    /// The plan's. Unit: events of an identifier in its window.
    package let bound: Int
    /// The share of events that it cuts: 0 to 1.
    package let cut: Double
    /// The smallest that cuts no more than ``mostCut``.
    package let suggested: Int
    package let suggestedCut: Double

    /// The largest share of events that a suggested bound cuts.
    package static let mostCut = 0.03

    /// Looks at how many identifiers sent how many events; nil where none did.
    init?(_ bound: Int, _ sent: [Int64: Int]) {
        let all = sent.reduce(Int64(0)) { $0 + $1.key * Int64($1.value) }
        guard all > 0 else { return nil }
        func cut(by bound: Int) -> Double {
            let over = sent.reduce(Int64(0)) { $0 + max(0, $1.key - Int64(bound)) * Int64($1.value) }
            return Double(over) / Double(all)
        }
        // More than what anybody sends cuts nothing; by halves to the smallest that cuts little.
        let suggested = (1..<Swift.max(1, Int(sent.keys.max() ?? 1))).partitioningIndex { cut(by: $0) <= Self.mostCut }
        (self.bound, self.cut, self.suggested, suggestedCut) = (bound, cut(by: bound), suggested, cut(by: suggested))
    }
}

/// Devices among others in the context of their batches: the unique ones, and how much a context tells.
package struct Uniqueness: Sendable, Hashable, Encodable {
    /// The purpose for which batches are sent; nil for what all of them say together.
    package let purpose: String?
    /// Unit: devices.
    package let devices: Int
    /// Those that are alone with the fields that are sent, where a client sends values as they are.
    package let uniqueValues: Int
    /// Those that are alone with all of their buckets, as they are counted and as the SDK sends them.
    package let uniqueBuckets: Int
    /// The bits that a context tells, in buckets.
    package let bits: Double
    package let dimensions: [Told]

    /// The bits that a dimension tells of a device.
    package struct Told: Sendable, Hashable, Encodable {
        package let dimension: String
        /// Unit: bits; 0 where all are in one bucket.
        package let bits: Double
    }

    init(_ purpose: PurposeName?, fields: Set<FieldName>, _ dimensions: [ThrongPlan.Dimension], of visitors: [Visitor])
        throws
    {
        self.purpose = purpose?.text
        devices = visitors.count
        let names = Set(fields.map(\.text))
        let values = visitors.map { visitor in
            visitor.fields.filter { names.contains($0.name) }.map { "\($0.name)=\($0.json)" }
        }
        uniqueValues = Self.alone(values)
        let bucketings = try dimensions.map { ($0.field, try $0.rule.compiled(rules: .system)) }
        let buckets = visitors.map { visitor in bucketings.map { (visitor.values[$0] ?? .missing).bucket(by: $1) } }
        uniqueBuckets = Self.alone(buckets)
        bits = Self.bits(buckets)
        self.dimensions = dimensions.enumerated().map { place, dimension in
            Told(dimension: dimension.name.text, bits: Self.bits(buckets.map { $0[place] }))
        }
    }

    private static func alone(_ all: [some Hashable]) -> Int {
        Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +).values.count { $0 == 1 }
    }

    /// Shannon's entropy, to a thousandth.
    private static func bits(_ all: [some Hashable]) -> Double {
        let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +).values.sorted()
        let sum = counts.reduce(0.0) { sum, count in
            let share = Double(count) / Double(all.count)
            return sum - share * log2(share)
        }
        return (sum * 1000).rounded() / 1000 + 0
    }
}

extension Plan {
    /// The crowding of visitors in each purpose's batches, and in all of them together.
    func crowding(of visitors: [Visitor]) throws -> [Uniqueness] {
        let known = visitors.reduce(into: Set<FieldName>()) { $0.formUnion($1.values.keys) }
        func crowding(_ name: PurposeName?, _ purposes: [Purpose]) throws -> Uniqueness? {
            let fields = purposes.reduce(into: Set<FieldName>()) { $0.formUnion(contextFields(of: $1.name)) }
                .intersection(known)
            let counted = metrics.filter { metric in purposes.contains { $0.name == metric.purpose } }
            let used = Set(counted.flatMap(\.dimensions) + counted.flatMap(\.steps).flatMap(\.filters).map(\.dimension))
            let dimensions = dimensions.filter { used.contains($0.name) && fields.contains($0.field) && !$0.isRevealed }
            guard !dimensions.isEmpty else { return nil }
            return try Uniqueness(name, fields: fields, dimensions, of: visitors)
        }
        let each = try purposes.compactMap { try crowding($0.name, [$0]) }
        let together = each.count > 1 ? try crowding(nil, purposes) : nil
        return each + [together].compactMap { $0 }
    }
}

/// Groupings of a metric that would publish nearly all of their events.
///
/// No number is withheld for another's sake, so each grouping is looked at by itself. What each adds is its cost: the
/// noise of all of a metric's groupings together tells a little of each device.
package struct GroupingAdvice: Sendable, Hashable, Encodable {
    package let metric: String
    /// The groupings to write under its `margins`, coarser ones first; without one only the total would do.
    package let margins: [GroupingForecast]
    /// Those that its insights and its decay ask for: they are released anyway.
    package let asked: [GroupingForecast]

    /// The least share of its events that a grouping must show to be suggested.
    package static let least = 0.9
    /// The most dimensions that a suggested grouping splits by.
    static let mostDimensions = 3
    /// The most dimensions that they are made of: noise is drawn over no more together.
    static let mostFields = 8
    /// The most groupings of a metric that are tried.
    static let mostTried = 48

    /// Suggests groupings for each metric of a plan that the crowd has events of; those that count identifiers are
    /// left out.
    ///
    /// The busiest hour of each day stands for its hours.
    package static func all(
        of plan: Plan, crowd: Crowd, _ terms: Forecast.Terms, through last: CalendarDate = .today,
        progress: () -> Void = {}
    ) throws -> [GroupingAdvice] {
        let free = plan.metrics.filter { $0.within == nil }
        let tried = Dictionary(uniqueKeysWithValues: free.map { ($0.name, plan.triedGroupings(of: $0)) })
        let totals = plan.releasing(tried.mapValues { _ in [[]] })
        let wide = plan.inUTC.releasing(tried)
        var secrets = SeededGenerator(seed: terms.seed)
        let counted = try terms.days(of: crowd, wide, through: last, progress: progress)
        let longer = Array(repeating: [PeriodKind.week, .month], count: Forecast.draws).joined().flatMap { kind in
            counted.joined(to: kind, of: wide.metrics.filter { $0.period == kind })
        }
        let days = try (counted.map { $0.periods(upTo: .day).busiest } + longer).map {
            try ForecastDay($0, of: wide, seed: secrets.next())
        }
        return free.compactMap { metric in
            guard let wider = wide.metric(metric.name), let least = totals.metric(metric.name) else { return nil }
            let made = days.map { $0.made.filter { $0.cube.layout.metric == metric.name } }
            let all = zip(wide.groupings(of: wider), wide.groupingNames(of: wider))
            let found = all.compactMap { GroupingForecast($0, named: $1, on: made) }.filter { !$0.dimensions.isEmpty }
                .sorted { ($0.dimensions.count, -$0.shown) < ($1.dimensions.count, -$1.shown) }
            guard made.contains(where: { !$0.isEmpty }) else { return nil }
            let asked = Set(totals.groupingNames(of: least).map { $0.map(\.text) })
            return GroupingAdvice(
                metric: metric.name.text,
                margins: found.filter { !asked.contains($0.dimensions) && $0.shown >= Self.least },
                asked: found.filter { asked.contains($0.dimensions) })
        }
    }
}

extension GroupingForecast {
    /// `[page, device]  # 97.5% of its events, 90% to 100% on 19 of 20 days`.
    fileprivate var words: String {
        "[\(dimensions.joined(separator: ", "))]  # \(Forecast.percent(shown)) of its events, "
            + "\(Forecast.percent(shownFrom)) to \(Forecast.percent(shownTo)) on 19 of 20 days"
    }
}

extension [CountedPeriod] {
    /// One period of each metric: that of the most events.
    fileprivate var busiest: [CountedPeriod] {
        Dictionary(grouping: self) { $0.parts[0].layout.metric }.values
            .compactMap { $0.max { $0.parts[0].events < $1.parts[0].events } }
    }
}

extension [GroupingAdvice] {
    /// Lines to paste into a plan.
    package var yaml: [String] {
        ["metrics:"]
            + flatMap { advice -> [String] in
                let margins = advice.margins.map { "      - \($0.words)" }
                let asked = advice.asked.map { "      # released anyway, for insights or decay: \($0.words)" }
                let none = margins.isEmpty ? " [[]]  # what is released anyway, and the total" : ""
                return ["  \(advice.metric):", "    margins:\(none)"] + margins + asked
            }
    }
}
