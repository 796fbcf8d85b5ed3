internal import ThrongNoise
internal import ThrongPlan
package import ThrongRelease
internal import ThrongWire

/// People under plans, counted as these say: by an arithmetic of its own, which also knows the truth of every number.
package struct TrialTown: Sendable {
    /// 2026-11-16 00:00 UTC, a Monday.
    static let monday = UnixSeconds(1_794_787_200)

    let plans: [TrialPlan]
    /// By day, the plan in force.
    let versions: [Int]
    var people: [TrialPeople]
    private let read: [Plan]
    private let layouts: [[MetricLayout]]

    /// A device's events of one metric and day in one place.
    struct Visit {
        /// By base dimension.
        let labels: [String]
        let count: Int64
        let amount: Int64
    }

    /// Counts people by plans, a version a day.
    ///
    /// - Throws: what a plan is refused for.
    init(_ plans: [TrialPlan], versions: [Int], people: [TrialPeople]) throws {
        (self.plans, self.versions, self.people) = (plans, versions, people)
        let read = try plans.map { try $0.read() }
        self.read = read
        layouts = try read.map { plan in try plan.metrics.map { try plan.layout(of: $0, rules: .system) } }
    }

    /// One day of a metric.
    private func cube(_ version: Int, _ metric: Int, _ day: Int) -> StoredCube {
        let layout = layouts[version][metric]
        let period = Self.period(day)
        let window = layout.rotation.window(at: period.start)
        var events: [CellIndex: Int64] = [:]
        var sums: [CellIndex: Int64] = [:]
        var devices: [Margin: [CellIndex: Int64]] = [:]
        for group in people {
            let visits = visits(of: group, plans[version].metrics[metric], bound: plans[version].bound, day)
            var touched: [Margin: Set<CellIndex>] = [:]
            for visit in visits {
                let buckets = zip(layout.dimensions, visit.labels).map { dimension, label in
                    dimension.labels.firstIndex(of: BucketLabel(label)) ?? 0
                }
                let leaf = layout.cell(buckets: buckets, in: layout.leaf)
                events[leaf, default: 0] += visit.count * group.devices
                sums[leaf, default: 0] += visit.amount * group.devices
                for margin in layout.trackedMargins {
                    touched[margin, default: []].insert(layout.projection(from: layout.leaf, to: margin)(leaf))
                }
            }
            for (margin, cells) in touched {
                for cell in cells { devices[margin, default: [:]][cell, default: 0] += group.devices }
            }
        }
        let counters = events.sorted { $0.key < $1.key }.flatMap { cell, value in
            [StoredCounter(measure: .count, cell: cell, value: value)]
                + layout.sums.indices.map {
                    StoredCounter(measure: .sum($0), cell: cell, value: sums[cell] ?? 0)
                }
        }
        let distinct = devices.flatMap { margin, cells in
            cells.map { StoredDistinct(margin: margin, cell: $0.key, window: window, devices: $0.value) }
        }
        return StoredCube(layout: layout, period: period, counters: counters, distinct: distinct)
    }

    /// The events that one device of a group adds: its first ones up to the bound.
    func visits(of group: TrialPeople, _ metric: TrialPlan.Metric, bound: Int, _ day: Int) -> [Visit] {
        let counts = TrialPlan.purposes.first { $0.name == metric.purpose }?.counts(group) ?? true
        guard counts else { return [] }
        var (left, found): (Int64, [Visit]) = (Int64(bound), [])
        for (event, sent) in zip(TrialPlan.events, group.sends[day]) where metric.events.contains(event) {
            let count = min(left, sent)
            guard count > 0 else { continue }
            left -= count
            let value = Int64(group.values["amount"] ?? "") ?? 0
            let amount = min(max(value, TrialPlan.clip.lowerBound), TrialPlan.clip.upperBound)
            let labels = metric.split.map { split in
                split.label(split.field == "event" ? event : group.values[split.field] ?? "")
            }
            found.append(Visit(labels: labels, count: count, amount: amount * count))
        }
        return found
    }

    static func period(_ day: Int) -> Period {
        Period(kind: .day, start: monday + Int64(day) * 86_400, end: monday + Int64(day + 1) * 86_400)
    }

    /// All releases by one of many secrets.
    package func releases(secret: Int) throws -> [Release] {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: secret >> (8 * ($0 % 4)) &+ 7 * $0) }
        let key = DrawSecret(bytes: bytes)
        var releases: [Release] = []
        for (day, version) in versions.enumerated() {
            let plan = read[version]
            for (place, metric) in plan.metrics.enumerated() {
                let (layout, period) = (layouts[version][place], Self.period(day))
                let evidence = ReleaseEvidence(
                    layout: layout, period: period, parts: [cube(version, place, day)],
                    origins: plan.origins(of: metric).mapValues { [$0] }, countedInLayout: plan.counted(by: metric))
                let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
                releases.append(
                    try MarginCase(header: header, on: evidence, factors: plan.marginFactors(of: metric))
                        .decide(secret: key).release)
            }
        }
        return releases
    }
}
