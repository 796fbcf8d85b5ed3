import Testing
import ThrongNoise
import ThrongSystem

@testable import ThrongPlan
@testable import ThrongRelease

/// A metric as attackers see it: what it counts, by which fields, and its releases by one secret or another.
struct AttackedMetric {
    let layout: MetricLayout
    let groupings: [Margin]
    let threshold: Threshold
    let factors: MarginFactors
    private let counted: CountedEvents
    private let origins: DimensionOrigins

    /// A field that tells events apart.
    struct Split {
        let name: DimensionName
        let field: FieldName
        let rule: BucketingRule
        let labels: [BucketLabel]
        var partitions = true
        var coarsening: MetricLayout.Coarsening?

        /// Lists of values, a bucket each, and all other values.
        static func list(
            _ name: DimensionName, _ values: [[String]], field: FieldName? = nil, labels: [BucketLabel]? = nil,
            partitions: Bool = true
        ) -> Split {
            let labels = labels ?? values.map { BucketLabel($0.joined(separator: "+")) }
            let groups = zip(labels, values).map { BucketGroup(label: $0, values: $1) }
            return Split(
                name: name, field: field ?? FieldName(name.text), rule: .list(groups), labels: labels + [.other],
                partitions: partitions)
        }

        /// How far an identifier came, which is made from no field.
        static func progress(_ labels: [BucketLabel]) -> Split {
            Split(name: "progress", field: .event, rule: .list([]), labels: labels)
        }
    }

    /// What is counted in one leaf cell; each device is in one cell.
    struct Counted {
        var events: Int64
        var devices: Int64
        var sums: [Int64] = []

        /// Devices that send so many events each.
        static func devices(_ devices: Int64, each: Int64 = 1) -> Counted {
            Counted(events: devices * each, devices: devices)
        }
    }

    init(
        _ splits: [Split] = [], named name: MetricName = "visits", events: Set<EventName> = ["visit"],
        groupings: [[Int]] = [[]], sums: [SumMeasure] = [], bound: Int = 10, within: WindowLayout? = nil,
        period: PeriodKind = .day, threshold: Int64 = 20, factors: MarginFactors = .none, knowsFields: Bool = true
    ) {
        let margins = Set(groupings.map { Margin(keeping: $0) }).sorted()
        layout = MetricLayout(
            app: "town", metric: name, purpose: "product", rotation: Rotation(seconds: 86_400), period: period,
            timeZone: "UTC",
            dimensions: splits.map { split in
                .init(
                    name: split.name, labels: split.labels, partitionsDevices: split.partitions,
                    rule: split.name == "progress" ? "steps of \(name)" : "rule",
                    coarsening: split.coarsening)
            }, sums: sums, contributionBound: within == nil ? bound : 1, groupings: margins, within: within)
        self.groupings = margins
        self.threshold = Threshold(devices: threshold)
        self.factors = factors
        counted = CountedEvents(names: events, audience: .terms(needsConsent: false, refusedBy: []))
        var origins: DimensionOrigins = [:]
        for split in splits where knowsFields && split.coarsening == nil && split.name != "progress" {
            origins[split.name] = [DimensionOrigin(field: split.field, rule: split.rule)]
        }
        self.origins = origins
    }

    /// A counted period.
    ///
    /// - Parameter cells: by bucket of each base dimension.
    func cube(_ cells: [[Int]: Counted], in period: Period = Town.day(0)) -> StoredCube {
        let window = layout.rotation.window(at: period.start)
        var counters: [StoredCounter] = []
        var devices: [Margin: [CellIndex: Int64]] = [:]
        for (buckets, counted) in cells {
            let leaf = layout.cell(buckets: buckets, in: layout.leaf)
            counters.append(StoredCounter(measure: .count, cell: leaf, value: counted.events))
            for (place, sum) in counted.sums.enumerated() {
                counters.append(StoredCounter(measure: .sum(place), cell: leaf, value: sum))
            }
            for margin in layout.trackedMargins {
                let cell = layout.projection(from: layout.leaf, to: margin)(leaf)
                devices[margin, default: [:]][cell, default: 0] += counted.devices
            }
        }
        var distinct: [StoredDistinct] = []
        for (margin, cells) in devices {
            for (cell, count) in cells {
                distinct.append(StoredDistinct(margin: margin, cell: cell, window: window, devices: count))
            }
        }
        return StoredCube(layout: layout, period: period, counters: counters, distinct: distinct)
    }

    /// Draws the release of a period by one of many secrets.
    func drawn(_ cube: StoredCube, by secret: Int) throws -> ReleaseDecision {
        let header = ReleaseHeader(
            layout: layout, period: cube.period, plan: PlanVersion(hex: String(repeating: "5e", count: 32)),
            threshold: threshold, sampling: 1, reach: layout.within == nil, groupings: groupings)
        let evidence = ReleaseEvidence(
            layout: layout, period: cube.period, parts: [cube], origins: origins, countedInLayout: counted)
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: secret >> (8 * ($0 % 4)) &+ 7 * $0) }
        return try MarginCase(header: header, on: evidence, factors: factors)
            .decide(secret: DrawSecret(bytes: bytes))
    }

    /// Draws the release of a crowd without any fields.
    func total(_ counted: Counted, in period: Period = Town.day(0), by secret: Int) throws -> Release {
        try drawn(cube([[]: counted], in: period), by: secret).release
    }
}

extension Release {
    /// The published devices of a cell; nil where it is withheld.
    func devices(_ buckets: [Int] = [], by places: [Int] = []) -> Double? {
        number(buckets, by: places)?.reach.map { Double($0.devices) }
    }

    /// The published events of a cell, or identifiers where those are counted; nil where it is withheld.
    func events(_ buckets: [Int] = [], by places: [Int] = []) -> Double? {
        number(buckets, by: places).map { Double($0.count) }
    }

    /// The published first sum of a cell; nil where it is withheld.
    func sum(_ place: Int = 0, _ buckets: [Int] = [], by places: [Int] = []) -> Double? {
        number(buckets, by: places).map { Double($0.sums[place]) }
    }

    private func number(_ buckets: [Int], by places: [Int]) -> PublishedCell? {
        let margin = Margin(keeping: places)
        return cell(header.layout.cell(buckets: buckets, in: margin), in: margin)
    }
}

/// An attacker's estimates of one number by many secrets, and with the noise off.
struct Estimates {
    let found: [Double]
    /// With the noise off: the control.
    let exact: Double

    /// Estimates over and over; where something that it takes is withheld, there is no estimate.
    init(_ draws: Int = 200, _ estimate: (_ secret: Int) throws -> Double?) throws {
        var found: [Double] = []
        for secret in 1...draws {
            if let number = try estimate(secret) { found.append(number) }
        }
        self.found = found
        let exact = try Fault.with([.noiseOff]) { try estimate(0) }
        self.exact = try #require(exact)
    }

    var mean: Double { found.reduce(0, +) / Double(max(1, found.count)) }

    /// About the mean.
    var deviation: Double {
        let mean = mean
        return (found.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, found.count - 1))).squareRoot()
    }

    /// The promise: the estimate is off by as much as theory says, which is no less than what is promised. Without
    /// noise it is the truth.
    ///
    /// - Parameters:
    ///   - least: the promised deviation: k/4 devices, or k·b/10 events.
    ///   - theory: the deviation that follows from the noise.
    func expect(
        _ truth: Double, least: Double, theory: Double, at place: SourceLocation = #_sourceLocation
    ) {
        expectTheory(truth, theory: theory, at: place)
        #expect(deviation >= 0.88 * least, "known within \(deviation)", sourceLocation: place)
    }

    /// Expects an estimate that has no promise, such as one that takes more knowledge than numbers.
    func expectTheory(_ truth: Double, theory: Double, at place: SourceLocation = #_sourceLocation) {
        #expect(abs(exact - truth) < 1e-6, "with the noise off it is \(exact)", sourceLocation: place)
        let draws = Double(found.count)
        #expect(draws > 40, sourceLocation: place)
        // An empirical deviation is off by a share of 1/√2n itself.
        #expect(
            abs(deviation / theory - 1) < 4.5 / (2 * draws).squareRoot(), "\(deviation), and not \(theory)",
            sourceLocation: place)
        #expect(
            abs(mean - truth) < 4.5 * deviation / draws.squareRoot() + 0.1 * theory, "\(mean)", sourceLocation: place)
    }
}
