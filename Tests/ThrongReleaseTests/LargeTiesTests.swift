import Testing
import ThrongChance
import ThrongPlan
import ThrongRelease

/// Two metrics of 512 cells each; one counts what the other does, and in each fiftieth cell a few events besides.
@Suite("Promise 9: totals first, also where there is no time to hold two large metrics against each other")
struct LargeTiesTests {
    private static let sizes = [8, 8, 8]
    private static let day = Period(kind: .day, start: .epoch, end: UnixSeconds(86_400))

    private struct Counted {
        let layout: MetricLayout
        let counted: CountedEvents
        let cube: StoredCube
        let header: ReleaseHeader

        init(_ name: MetricName, _ events: [EventName], _ values: [Int64]) {
            let groupings = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]].map { Margin(keeping: $0) }
            layout = MetricLayout(
                app: "large", metric: name, purpose: "product", rotation: .longest, period: .day, timeZone: "UTC",
                dimensions: sizes.enumerated().map { place, size in
                    MetricLayout.DimensionLayout(
                        name: DimensionName("d\(place)"), labels: (0..<size).map { BucketLabel("\($0)") },
                        partitionsDevices: true, rule: "list")
                }, sums: [], contributionBound: 1, groupings: groupings)
            counted = CountedEvents(names: Set(events), audience: .terms(needsConsent: false, refusedBy: []))
            let cells = values.enumerated().map { (CellIndex(UInt32($0.offset)), $0.element) }
            cube = StoredCube(
                layout: layout, period: day,
                counters: cells.map { StoredCounter(measure: .count, cell: $0, value: $1) },
                distinct: cells.map { [layout] in
                    StoredDistinct(margin: layout.leaf, cell: $0, window: WindowNumber(0), devices: $1)
                })
            header = ReleaseHeader(
                layout: layout, period: day, plan: PlanVersion(hex: "00"), threshold: .standard, sampling: 1,
                reach: false, groupings: groupings.sorted(), events: events)
        }

        func tied(_ releases: [Release]) -> TiedMetric {
            TiedMetric(
                counted: counted, layout: layout, parts: [cube],
                releases: releases.filter { $0.header.layout == layout }, countedInLayout: counted)
        }
    }

    @Test("the total and most of one dimension are there, and what takes the time is not")
    func fromTheTop() throws {
        var random = SeededGenerator(seed: 1)
        let views = (0..<512).map { _ in Int64(60 * Double.random(in: 0.2...1.8, using: &random)) }
        let actions = views.map {
            Int.random(in: 0..<50, using: &random) == 0 ? $0 + Int64.random(in: 1...40, using: &random) : $0
        }
        let metrics = [Counted("views", ["view"], views), Counted("actions", ["view", "tap"], actions)]
        var made: [Release] = []
        for (place, metric) in metrics.enumerated() {
            let decision = try ReleaseCase(
                header: metric.header, parts: [metric.cube], tied: [metrics[1 - place].tied(made)],
                counted: metric.counted, countedInLayout: metric.counted
            ).decide(ReleaseOptions(seed: 7, proofSeconds: 1))
            made.append(decision.release)
            let levels = decision.summary.levels
            #expect(levels[0].published == 1)
            #expect(levels[1].published > 0 && levels[1].publishable == 24)
        }
    }
}
