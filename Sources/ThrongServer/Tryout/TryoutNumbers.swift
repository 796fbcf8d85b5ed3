internal import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongWire

/// The numbers of open periods as they would be published if the periods were over now.
struct TryoutNumbers: Sendable {
    private let plan: Plan
    private let decisions: [(period: Period, decision: ReleaseDecision)]

    /// Decides about every open period that holds an instant.
    init(of plan: Plan, at now: UnixSeconds, _ releases: ReleaseScheduler, _ store: ReleaseStore) async throws {
        self.plan = plan
        var decisions: [(period: Period, decision: ReleaseDecision)] = []
        let open = try await store.openPeriods(app: plan.app.name).filter {
            $0.period.start <= now && now < $0.period.end
        }
        for metric in plan.metrics {
            let layout = try plan.layout(of: metric, rules: .system)
            for one in open where one.layout == layout {
                decisions.append((one.period, try await releases.trial(one, plan: plan)))
            }
        }
        self.decisions = decisions
    }

    /// All that would be released.
    var releases: [Release] { decisions.map(\.decision.release) }

    /// Returns the numbers that something counted went into, coarser ones first.
    func numbers(of tuple: PreviewAnswer.Tuple) -> [TryoutEntry.Number] {
        guard let metric = plan.metric(MetricName(tuple.metric)) else { return [] }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let found = decisions.first {
            $0.decision.release.header.layout.metric == metric.name && calendar.label(of: $0.period) == tuple.period
        }
        guard let decision = found?.decision else { return [] }
        var labels: [DimensionName: BucketLabel] = [:]
        for (name, label) in tuple.buckets { labels[DimensionName(name)] = BucketLabel(label) }
        for derived in plan.derivedDimensions {
            guard let base = labels[derived.base] else { continue }
            labels[derived.name] = derived.groups.first { $0.values.contains(base.text) }?.label ?? .other
        }
        return decision.release.header.groupings.sorted { $0.bits.nonzeroBitCount < $1.bits.nonzeroBitCount }
            .compactMap { Self.number(labels, in: $0, of: decision) }
    }

    private static func number(
        _ labels: [DimensionName: BucketLabel], in grouping: Margin, of decision: ReleaseDecision
    ) -> TryoutEntry.Number? {
        let header = decision.release.header
        let layout = header.layout
        let places = layout.dimensions.indices.filter(grouping.keeps)
        var (indices, names): ([Int], [String]) = ([], [])
        for place in places {
            let dimension = layout.dimensions[place]
            guard let label = labels[dimension.name], let bucket = dimension.labels.firstIndex(of: label) else {
                return nil
            }
            indices.append(bucket)
            names.append("\(dimension.name) = \(label)")
        }
        let cell = layout.cell(buckets: indices, in: grouping)
        let name = names.isEmpty ? "total" : names.joined(separator: ", ")
        if let published = decision.release.cell(cell, in: grouping) {
            let margin = header.margin(of: grouping).map { ", off by up to \($0)" } ?? ""
            let devices = published.reach.map { reach in
                "; \(Wording.english.count(reach.devices, "device"))"
                    + (header.deviceMargin(of: grouping).map { ", off by up to \($0)" } ?? "")
            }
            let sums = layout.sums.indices.map { place in
                let (sum, margin) = (layout.sums[place], header.margin(of: grouping, measure: place + 1))
                let bound = margin.map { ", off by up to \(Wording.english.amount($0, of: sum))" } ?? ""
                return "; \(sum.name) \(Wording.english.amount(published.sums[place], of: sum))\(bound)"
            }
            return .init(
                cell: name, state: "published",
                words: "would be published: \(Wording.english.count(published.count, "event"))\(margin)"
                    + (devices ?? "") + sums.joined()
            )
        }
        let k = header.threshold.devices
        switch decision.withheld.first(where: { $0.margin == grouping && $0.cell == cell })?.reason {
        case .small(let floor)?:
            return .init(
                cell: name, state: "small",
                words: "too few: \(Wording.english.count(floor.devices, "device")), and k is \(k)")
        case .nearThreshold?:
            return .init(cell: name, state: "near", words: "too close to k = \(k): shown on some days, not on others")
        case nil: return .init(cell: name, state: "small", words: "too few: nothing in PostgreSQL yet")
        }
    }
}
