internal import ThrongChance
import ThrongPlan
import ThrongRelease

/// Prints what it takes to hold two large cubes against each other that count some of the same events, and what that costs.
struct TiedBench {
    /// How long a decision may look for proofs, and for each step behind them. Unit: seconds.
    let seconds: Double

    private static let sizes: [(name: String, sizes: [Int], mean: Double)] = [
        ("tiny", [4, 3, 3], 60),
        ("2e2", [6, 6, 6], 60), ("5e2", [8, 8, 8], 60),
        ("1e3", [10, 10, 8], 60), ("3e3", [16, 14, 12], 60), ("1e4", [25, 20, 20], 60),
    ]

    private static let day = Period(kind: .day, start: .epoch, end: UnixSeconds(86_400))

    /// Which events each of the two counts: one's are all among the other's, or neither's are, so that columns alone matter.
    private static let events: [(name: String, sets: [[EventName]])] = [
        ("nested", [["view"], ["view", "tap"]]), ("overlapping", [["view", "tap"], ["view", "scroll"]]),
    ]

    /// Measures cubes whose names are given; with `nested` or `overlapping` among them, of that kind only.
    func run(_ names: [String]) throws {
        for cube in Self.sizes where names.contains(cube.name) {
            let asked = Self.events.filter { names.contains($0.name) }
            for kind in asked.isEmpty ? Self.events : asked { try run(cube, kind.sets, kind.name) }
        }
        print("  " + Yardstick.measure().text)
    }

    private func run(
        _ cube: (name: String, sizes: [Int], mean: Double), _ events: [[EventName]], _ kind: String
    ) throws {
        let groupings = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]].map { Margin(keeping: $0) }
        var random = SeededGenerator(seed: 1)
        let leaves = cube.sizes.reduce(1, *)
        let views = (0..<leaves).map { _ in Int64(cube.mean * Double.random(in: 0.2...1.8, using: &random)) }
        // In each fiftieth cell the second metric has a few events besides.
        let actions = views.map {
            Int.random(in: 0..<50, using: &random) == 0 ? $0 + Int64.random(in: 1...40, using: &random) : $0
        }
        let metrics = [
            Counted("views", events[0], views, cube.sizes, groupings),
            Counted("actions", events[1], actions, cube.sizes, groupings),
        ]
        var made: [Release] = []
        for (place, metric) in metrics.enumerated() {
            let others = metrics.indices.filter { $0 != place }.map { other in
                metrics[other].tied(made.filter { $0.header.layout == metrics[other].layout })
            }
            let decision = try ReleaseCase(
                header: metric.header, parts: [metric.cube], tied: others, counted: metric.counted,
                countedInLayout: metric.counted
            ).decide(ReleaseOptions(seed: 7, proofSeconds: seconds))
            made.append(decision.release)
            let levels = decision.summary.levels.map { "\($0.published) of \($0.publishable)" }
            print(
                "tied", cube.name, kind, metric.layout.metric, "published", decision.release.cells.count, "by level",
                levels.joined(separator: ", "), "seconds", Yardstick.rounded(decision.summary.seconds), "of",
                seconds, "not verified", decision.summary.unexamined.numbers, decision.summary.unexamined.parts,
                "peak MiB", SuppressionBench.peak() / 1024)
        }
    }

    /// A metric of one day, each of whose events is of a device of its own.
    private struct Counted {
        let layout: MetricLayout
        let counted: CountedEvents
        let cube: StoredCube
        let header: ReleaseHeader

        init(
            _ name: MetricName, _ events: [EventName], _ values: [Int64], _ sizes: [Int], _ groupings: [Margin]
        ) {
            let layout = MetricLayout(
                app: "bench", metric: name, purpose: "product", rotation: .longest, period: .day, timeZone: "UTC",
                dimensions: sizes.enumerated().map { place, size in
                    MetricLayout.DimensionLayout(
                        name: DimensionName("d\(place)"), labels: (0..<size).map { BucketLabel("\($0)") },
                        partitionsDevices: true, rule: "list")
                }, sums: [], contributionBound: 1, groupings: groupings)
            self.layout = layout
            counted = CountedEvents(
                names: Set(events), audience: .terms(needsConsent: false, refusedBy: []))
            let cells = values.enumerated().filter { $0.element > 0 }.map { (CellIndex(UInt32($0.offset)), $0.element) }
            cube = StoredCube(
                layout: layout, period: TiedBench.day,
                counters: cells.map { StoredCounter(measure: .count, cell: $0, value: $1) },
                distinct: cells.map {
                    StoredDistinct(margin: layout.leaf, cell: $0, window: WindowNumber(0), devices: $1)
                })
            header = ReleaseHeader(
                layout: layout, period: TiedBench.day, plan: PlanVersion(hex: "00"), threshold: .standard, sampling: 1,
                reach: false, groupings: groupings.sorted(), events: events)
        }

        func tied(_ releases: [Release]) -> TiedMetric {
            TiedMetric(counted: counted, layout: layout, parts: [cube], releases: releases, countedInLayout: counted)
        }
    }
}
