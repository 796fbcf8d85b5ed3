package import ThrongPlan
internal import ThrongRelease
package import ThrongWire

/// A day as it would be released if devices of a list came, each with one event: for plans that count nothing yet.
///
/// A metric is split by what the list knows of a device; what devices do is summed out. Ties to other metrics, sums and firsts
/// take no part, so that a real day withholds no less. Where devices prove themselves, all are taken to.
package struct ExpectedDay {
    /// What the list knows of each device.
    private let fields: Set<FieldName>
    /// Unit: devices of the list.
    private let known: Int
    /// The bucket of one of them in a field.
    private let bucket: (_ device: Int, FieldName, any Bucketing) -> Int

    /// How many devices come at most. Unit: devices.
    package static let most = 200_000
    /// For how long proofs of one metric are looked for. Unit: seconds.
    private static let proofSeconds = 10.0
    /// A day of no app.
    private static let instant = UnixSeconds(1_795_046_400)

    /// - Parameters:
    ///   - fields: what is known of each device.
    ///   - known: how many devices the list has; the plan's audience is drawn from them in turn.
    ///   - bucket: where a device of the list falls.
    package init(
        fields: some Sequence<FieldName>, known: Int,
        bucket: @escaping (_ device: Int, FieldName, any Bucketing) -> Int
    ) {
        self.fields = Set(fields)
        self.known = known
        self.bucket = bucket
    }

    /// How many devices of a plan's audience come.
    package static func devices(of plan: Plan) -> Int { min(plan.app.audience, most) }

    /// What each metric of a plan would show; those that are split by nothing that the list knows, that count no days, that
    /// have a margin or count identifiers are left out.
    ///
    /// - Throws: ``ReleaseError``, and what a bucketing that can't be compiled throws.
    package func pasts(of plan: Plan) throws -> [PlanPast] {
        guard known > 0 else { return [] }
        return try plan.metrics.compactMap { metric in
            guard metric.margin == nil, metric.within == nil, metric.period == .day,
                let cut = try Cut(metric, of: plan, knowing: fields)
            else { return nil }
            let period = PeriodCalendar.utc.period(.day, containing: Self.instant)
            let header = ReleaseHeader(
                layout: cut.layout, period: period, plan: plan.version, threshold: plan.releaseThreshold(of: metric),
                sampling: 1, reach: metric.reach, groupings: cut.groupings, protection: metric.protection,
                sensitive: plan.sensitiveDimensions(of: metric).filter { name in
                    cut.layout.dimensions.contains { $0.name == name }
                })
            let cube = cube(cut, Self.devices(of: plan), period)
            let decision = try ReleaseCase(header: header, parts: [cube], proved: Self.proved(cube)).decide(
                ReleaseOptions(seed: 1, proofSeconds: Self.proofSeconds))
            return PlanPast([(decision, cube)], of: plan, devices: Self.devices(of: plan))
        }
    }

    /// What of a metric is split by what the list knows.
    private struct Cut {
        let layout: MetricLayout
        let groupings: [Margin]
        /// One a base dimension: its field and its bucketing.
        let bases: [(field: FieldName, bucketing: any Bucketing)]

        init?(_ metric: Metric, of plan: Plan, knowing fields: Set<FieldName>) throws {
            let full = try plan.layout(of: metric, rules: .system)
            let cube = plan.cubeDimensions(of: metric)
            let kept = full.dimensions.indices.filter { place in
                let base = full.dimensions[place].coarsening?.place ?? place
                return fields.contains(cube[base].field) && !cube[base].isRevealed
            }
            let places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
            bases = try kept.filter { full.dimensions[$0].coarsening == nil }.map { place in
                (cube[place].field, try cube[place].rule.compiled(rules: .system))
            }
            guard !bases.isEmpty else { return nil }
            groupings = plan.groupings(of: metric).compactMap { margin in
                let names = full.dimensions.indices.filter(margin.keeps)
                let found = names.compactMap { places[$0] }
                return found.count == names.count ? Margin(keeping: found) : nil
            }
            guard groupings.contains(where: { $0 != .total }) else { return nil }
            let dimensions = kept.map { place in
                let whole = full.dimensions[place]
                return MetricLayout.DimensionLayout(
                    name: whole.name, labels: whole.labels, partitionsDevices: whole.partitionsDevices,
                    rule: whole.rule,
                    coarsening: whole.coarsening.flatMap { coarsening in
                        places[coarsening.place].map { .init(place: $0, buckets: coarsening.buckets) }
                    })
            }
            let names = Set(dimensions.map(\.name))
            layout = MetricLayout(
                app: full.app, metric: full.metric, purpose: full.purpose, rotation: full.rotation,
                period: full.period, timeZone: "UTC", dimensions: dimensions, sums: [],
                contributionBound: full.contributionBound, groupings: groupings,
                impossible: full.impossible.filter { $0.parts.allSatisfy { names.contains($0.dimension) } },
                provedPeriods: full.provedFirsts == nil ? [] : [full.period])
        }
    }

    /// The devices of a day that prove themselves: each comes in one window.
    private static func proved(_ cube: StoredCube) -> [ProvedDevices] {
        guard let margins = cube.layout.provedFirsts?.margins else { return [] }
        var devices: [Margin: [CellIndex: Int64]] = [:]
        for row in cube.distinct where margins.contains(row.margin) {
            devices[row.margin, default: [:]][row.cell, default: 0] += row.devices
        }
        let rows = devices.flatMap { margin, cells in
            cells.map { ProvedDevices.Row(margin: margin, cell: $0.key, devices: $0.value) }
        }
        return [ProvedDevices(period: cube.period, rows: rows)]
    }

    /// The counters of a day in which so many devices came, evenly over its windows.
    private func cube(_ cut: Cut, _ devices: Int, _ period: Period) -> StoredCube {
        let layout = cut.layout
        let windows = max(1, (period.end - period.start) / layout.rotation.seconds)
        let first = period.start.value / layout.rotation.seconds
        let leaves = (0..<min(known, devices)).map { device in
            layout.cell(buckets: cut.bases.map { bucket(device, $0.field, $0.bucketing) }, in: layout.leaf)
        }
        struct Seen: Hashable {
            let cell: CellIndex
            let window: WindowNumber
        }
        var present: [Seen: Int64] = [:]
        for device in 0..<devices {
            let window = WindowNumber(first + Int64(device) % windows)
            present[Seen(cell: leaves[device % leaves.count], window: window), default: 0] += 1
        }
        var counts: [CellIndex: Int64] = [:]
        for (seen, devices) in present { counts[seen.cell, default: 0] += devices }
        let distinct = layout.trackedMargins.flatMap { margin in
            let project = layout.projection(from: layout.leaf, to: margin)
            var sums: [Seen: Int64] = [:]
            for (seen, devices) in present {
                sums[Seen(cell: project(seen.cell), window: seen.window), default: 0] += devices
            }
            return sums.sorted { ($0.key.cell, $0.key.window) < ($1.key.cell, $1.key.window) }.map {
                StoredDistinct(margin: margin, cell: $0.key.cell, window: $0.key.window, devices: $0.value)
            }
        }
        return StoredCube(
            layout: layout, period: period,
            counters: counts.sorted { $0.key < $1.key }
                .map { StoredCounter(measure: .count, cell: $0.key, value: $0.value) }, distinct: distinct)
    }
}
