internal import ThrongChance
internal import ThrongLoad
import ThrongPlan
internal import ThrongRelease

/// Prints what a release shows of real browsers, split by what they tell of themselves in the product's own buckets.
///
/// The sample has no languages; how many processors a browser reports stands in for them. Each device sends one to five
/// events.
struct DeviceBench {
    let folder: String
    let devices: Int
    let seconds: Double

    /// Measures the total, one dimension and pairs, and then every grouping there is.
    func run() throws {
        for isWhole in [false, true] {
            let plan = try Plan(
                yaml: Self.yaml(isWhole: isWhole), file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
            guard let metric = plan.metrics.first else { return }
            let layout = try plan.layout(of: metric, rules: .system)
            let period = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_046_400))
            let cube = try cube(plan, layout, period)
            let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
            let clock = ContinuousClock()
            let start = clock.now
            let release = ReleaseCase(header: header, parts: [cube])
            let options = ReleaseOptions(seed: 7, proofSeconds: seconds)
            let decision = try release.decide(options)
            let took = (clock.now - start) / .seconds(1)
            print(
                "devices", isWhole ? "all groupings" : "pairs", devices, "leaves", cube.counters.count, "sensitive",
                decision.summary.sensitive, "proved", decision.summary.proved, "s", Yardstick.rounded(took))
            SampleBench.print(decision.summary.levels)
            try bounds(of: decision, release, options)
            Swift.print("  " + Yardstick.measure().text)
        }
    }

    /// Prints how much any safe release can show: split by one, and by two beside what was chosen of one, or beside each other
    /// choice of one number to withhold instead of the one that was.
    private func bounds(of decision: ReleaseDecision, _ release: ReleaseCase, _ options: ReleaseOptions) throws {
        var shown: [Margin: Set<CellIndex>] = [:]
        for cell in decision.release.cells where cell.margin.bits.nonzeroBitCount < 2 {
            shown[cell.margin, default: []].insert(cell.cell)
        }
        try bound(split: 1, "", release, decision, shown, options)
        try bound(split: 2, "", release, decision, shown, options)
        for withheld in decision.withheld where !withheld.reason.isOwn && withheld.margin.bits.nonzeroBitCount == 1 {
            for other in (shown[withheld.margin] ?? []).sorted() {
                var instead = shown
                instead[withheld.margin]?.insert(withheld.cell)
                instead[withheld.margin]?.remove(other)
                try bound(split: 2, " with \(other) withheld for \(withheld.cell)", release, decision, instead, options)
            }
        }
    }

    private func bound(
        split: Int, _ choice: String, _ release: ReleaseCase, _ decision: ReleaseDecision,
        _ shown: [Margin: Set<CellIndex>], _ options: ReleaseOptions
    ) throws {
        let able = decision.summary.levels.first { $0.dimensions == split }?.publishable ?? 0
        let least = try release.leastHidden(split: split, beside: shown, options)
        Swift.print(
            "  bound: split by \(split)\(choice):",
            least.map { "at least \($0) hidden, so at most \(Yardstick.percent(Int64(able - $0), of: Int64(able))) %" }
                ?? "not computed")
    }

    private func cube(_ plan: Plan, _ layout: MetricLayout, _ period: Period) throws -> StoredCube {
        let dimensions = try plan.dimensions.map { (field: $0.field, bucketing: try $0.rule.compiled(rules: .system)) }
        let all = try SampleDevice.all(in: folder + "/devices.ndjson.gz")
        var random = SeededGenerator(seed: 3)
        var events: [CellIndex: Int64] = [:]
        var present: [CellIndex: Int64] = [:]
        for place in 0..<devices {
            let device = all[place % all.count]
            let leaf = layout.cell(
                buckets: dimensions.map { device.bucket(of: $0.field, by: $0.bucketing) }, in: layout.leaf)
            events[leaf, default: 0] += Int64(1 + random.next() % 5)
            present[leaf, default: 0] += 1
        }
        let window = WindowNumber(period.start.value / layout.rotation.seconds)
        var distinct: [StoredDistinct] = []
        for margin in layout.trackedMargins {
            let project = layout.projection(from: layout.leaf, to: margin)
            var sums: [CellIndex: Int64] = [:]
            for (leaf, count) in present { sums[project(leaf), default: 0] += count }
            distinct += sums.sorted { $0.key < $1.key }
                .map { StoredDistinct(margin: margin, cell: $0.key, window: window, devices: $0.value) }
        }
        return StoredCube(
            layout: layout, period: period,
            counters: events.sorted { $0.key < $1.key }
                .map { StoredCounter(measure: .count, cell: $0.key, value: $0.value) }, distinct: distinct)
    }

    private static func yaml(isWhole: Bool) -> String {
        let names = ["processors", "browser", "os", "screen", "memory"]
        let kept = (1..<(1 << names.count)).filter { isWhole || $0.nonzeroBitCount <= 2 }
        let margins = kept.map { bits in
            let chosen = names.indices.filter { bits & (1 << $0) != 0 }.map { names[$0] }
            return "[" + chosen.joined(separator: ", ") + "]"
        }
        return """
            app: {name: visits, title: Visits, owner: Team, contact: a@example.com, audience: 20000}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
            dimensions:
              processors: {title: Processors, field: cores, cores: standard, partitions: devices}
              browser: {title: Browser, field: user_agent, browser: standard, partitions: devices}
              os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
              screen: {title: Screen, field: screen, screen: standard, partitions: devices}
              memory: {title: Memory, field: memory_gb, memory: standard, partitions: devices}
            metrics:
              opened:
                title: Opened
                events: [open]
                question: How many use it?
                decision: Whether it goes on.
                owner: Team
                expires: 2027-10-31
                purpose: product
                dimensions: [\(names.joined(separator: ", "))]
                period: day
                contribution_bound: 5
                margins: [\(margins.joined(separator: ", "))]
            """
    }
}
