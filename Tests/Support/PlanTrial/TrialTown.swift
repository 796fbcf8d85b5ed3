internal import ThrongChance
internal import ThrongPlan
internal import ThrongRelease

/// A trial whose people were counted, and what the engine published of it, release by release as the daemon asks it.
struct TrialTown {
    let trial: PlanTrial
    let plans: [Plan]
    let tables: [TrialTable]
    let happenings: [TrialHappening]
    private var cubes: [Cube] = []
    private(set) var releases: [Published] = []

    private struct Cube {
        let table: Int
        let stored: StoredCube
        /// Where devices prove themselves.
        let proved: ProvedDevices?
    }

    struct Published {
        /// Place in ``TrialTown/tables``.
        let table: Int
        let release: Release
    }

    /// Counts everybody.
    init(_ trial: PlanTrial) throws {
        self.trial = trial
        plans = try trial.plans.map { try $0.read() }
        tables = try TrialTable.all(trial, plans)
        happenings = TrialHappening.all(trial, tables)
        for (number, table) in tables.enumerated() {
            for period in trial.time.periods(table.layout.period) {
                let stored = try table.cube(number, period, trial, plans, happenings)
                if stored.counters.isEmpty { continue }
                let proved = try table.firsts(number, period, trial, plans, happenings)
                cubes.append(Cube(table: number, stored: stored, proved: proved))
            }
        }
    }

    /// Releases every period of every layout once.
    mutating func release() throws {
        var order = cubes
        if trial.isShuffled {
            var random = SeededGenerator(seed: trial.seed &+ 1)
            order.shuffle(using: &random)
        } else {
            order.sort { left, right in
                let (a, b) = (left.stored.period, right.stored.period)
                return (a.end, a.kind, left.table) < (b.end, b.kind, right.table)
            }
        }
        for cube in order { releases.append(Published(table: cube.table, release: try decide(cube))) }
    }

    private func decide(_ cube: Cube) throws -> Release {
        let (table, period) = (tables[cube.table], cube.stored.period)
        var (start, end) = (period.start, period.end)
        for other in releases.map(\.release.header.period) where other.start <= start && other.end >= end {
            (start, end) = (min(start, other.start), max(end, other.end))
        }
        let history = TermsHistory(
            versions.filter { $0.until.map { $0 > start } ?? true }, from: start, to: end)
        let plan = plans[plans.count - 1]
        let ties = EventTies(plan).during(history)
        let terms = terms(of: table, history, ties)
        return try ReleaseCase(
            header: try header(table, period, plan, terms), parts: [cube.stored],
            tied: tied(to: cube, ties, history, from: start, to: end), counted: terms?.counted,
            countedInLayout: history.counted(in: table.number), origins: history.origins(of: table.number),
            proved: cube.proved.map { [$0] } ?? []
        ).decide(ReleaseOptions(seed: trial.seed &+ UInt64(cube.table), proofSeconds: 20)).release
    }

    /// What each plan asked of each layout, and when.
    private var versions: [TermsVersion] {
        tables.flatMap { table in
            table.uses.map { use in
                TermsVersion(
                    metric: table.layout.metric, layout: table.number, since: use.version == 0 ? nil : trial.cutTime,
                    until: use.version == plans.count - 1 ? nil : trial.cutTime,
                    terms: plans[use.version].releaseTerms(of: use.metric))
            }
        }
    }

    private func terms(of table: TrialTable, _ history: TermsHistory, _ ties: EventTies) -> ReleaseTerms? {
        let names = tiedNames(table.layout, ties, [])
        let last = table.uses.last.map { plans[$0.version].releaseTerms(of: $0.metric) }
        let kept = [last, history.strictest(of: names.union([table.layout.metric]))].compactMap { $0 }
        return kept.dropFirst().reduce(kept.first) { $0?.stricter(with: $1) }?
            .counting(history.counted(by: table.layout.metric))
    }

    private func header(
        _ table: TrialTable, _ period: Period, _ plan: Plan, _ terms: ReleaseTerms?
    ) throws -> ReleaseHeader {
        let layout = table.layout
        let metric = plan.metric(layout.metric)
        if let metric, try plan.layout(of: metric, rules: .system) == layout {
            return ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period).tightened(by: terms)
        }
        let asked = metric.map(plan.releaseTerms)
        return ReleaseHeader(
            layout: layout, period: period, plan: plan.version,
            threshold: max(asked?.threshold ?? plan.app.threshold, plan.app.threshold), sampling: 1,
            reach: metric?.reach ?? false, groupings: Set(layout.trackedMargins + [.total]).sorted(),
            protection: asked?.protection ?? .standard,
            sensitive: (asked?.sensitive ?? []).filter { name in layout.dimensions.contains { $0.name == name } },
            events: metric?.countingEvents
        ).tightened(by: terms)
    }

    private func tiedNames(
        _ layout: MetricLayout, _ ties: EventTies, _ published: [ReleaseHeader], isNested: Bool = true
    ) -> Set<MetricName> {
        var others: [MetricName: CountedEvents] = [:]
        for header in published {
            let other = header.layout
            others[other.metric] = ties.counted(by: other.metric, purpose: other.purpose, published: header.events)
        }
        let own = others[layout.metric] ?? ties.counted(by: layout.metric, purpose: layout.purpose, published: nil)
        return isNested
            ? ties.metrics(tiedTo: layout.metric, counting: own, others: others)
            : ties.metrics(overlapping: layout.metric, counting: own, others: others)
    }

    private func tied(
        to cube: Cube, _ ties: EventTies, _ history: TermsHistory, from start: UnixSeconds, to end: UnixSeconds
    ) -> [TiedMetric] {
        let layout = tables[cube.table].layout
        let overlapping = releases.filter {
            $0.release.header.period.start < end && $0.release.header.period.end > start
        }
        let names = tiedNames(layout, ties, overlapping.map(\.release.header), isNested: false)
        let published = overlapping.filter {
            names.contains($0.release.header.layout.metric) || $0.release.header.layout.metric == layout.metric
        }
        return tables.enumerated().compactMap { number, table in
            guard names.contains(table.layout.metric) || table.layout.metric == layout.metric else { return nil }
            let parts = cubes.filter { other in
                let period = other.stored.period
                return other.table == number && period.start >= start && period.end <= end
                    && (number != cube.table || period != cube.stored.period)
            }
            guard !parts.isEmpty else { return nil }
            let about = published.filter {
                $0.table == number && $0.release.header.period.start >= start && $0.release.header.period.end <= end
            }.map(\.release)
            return TiedMetric(
                counted: ties.counted(
                    by: table.layout.metric, purpose: table.layout.purpose, published: about.last?.header.events),
                layout: table.layout, parts: parts.map(\.stored), releases: about,
                origins: history.origins(of: table.number),
                countedInLayout: history.counted(in: table.number), proved: parts.compactMap(\.proved))
        }
    }
}
