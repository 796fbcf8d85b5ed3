import Testing
import ThrongPlan

@testable import ThrongRelease

/// A metric's layout and stored days, written by labels.
struct Town {
    /// 2026-11-16 00:00 UTC, a Monday.
    static let monday = UnixSeconds(1_794_787_200)

    let layout: MetricLayout

    /// What was counted in one leaf cell; each device is in one cell.
    struct Counted {
        var events: Int64
        var devices: Int64
        /// Unit: 10^-decimals of the sum's unit.
        var sum: Int64 = 0
        /// Firsts by their place in the layout. Unit: devices.
        var firsts: [Int: Int64] = [:]
    }

    /// - Parameter groupings: what a release shows, by place of the dimensions.
    init(
        _ dimensions: [MetricLayout.DimensionLayout], sums: [SumMeasure] = [], groupings: [[Int]] = [],
        impossible: [ImpossibleCombination] = [], firstPeriods: [PeriodKind] = [], bound: Int = 10,
        rotation: Rotation = Rotation(seconds: 86_400)
    ) {
        layout = MetricLayout(
            app: "town", metric: "visits", purpose: "product", rotation: rotation, period: .day,
            timeZone: "UTC", dimensions: dimensions, sums: sums, contributionBound: bound,
            groupings: groupings.map { Margin(keeping: $0) }, impossible: impossible,
            firstPeriods: firstPeriods)
    }

    static func dimension(
        _ name: DimensionName, _ labels: [BucketLabel], partitions: Bool = true,
        of coarsening: MetricLayout.Coarsening? = nil
    ) -> MetricLayout.DimensionLayout {
        .init(name: name, labels: labels, partitionsDevices: partitions, rule: "list", coarsening: coarsening)
    }

    /// The period of a day; 0 is the Monday.
    static func day(_ day: Int) -> Period {
        Period(kind: .day, start: monday + Int64(day) * 86_400, end: monday + Int64(day + 1) * 86_400)
    }

    /// The period of the seven days.
    static let week = Period(kind: .week, start: monday, end: monday + 7 * 86_400)

    /// A leaf cell by its labels, with blanks between them.
    func leaf(_ labels: String) throws -> CellIndex {
        let base = layout.dimensions.filter { $0.coarsening == nil }
        let buckets = try zip(base, labels.split(separator: " ")).map { dimension, label in
            try #require(dimension.labels.firstIndex(of: BucketLabel(String(label))))
        }
        return layout.cell(buckets: buckets, in: layout.leaf)
    }

    /// What was counted on a day, all of it in the same windows.
    func cube(_ day: Int, _ cells: [String: Counted], windows: Int64 = 1) throws -> StoredCube {
        var counters: [StoredCounter] = []
        var distinct: [StoredDistinct] = []
        let first = layout.rotation.window(at: Self.day(day).start).value
        for (labels, counted) in cells.sorted(by: { $0.key < $1.key }) {
            let cell = try leaf(labels)
            counters.append(StoredCounter(measure: .count, cell: cell, value: counted.events))
            if !layout.sums.isEmpty {
                counters.append(StoredCounter(measure: .sum(0), cell: cell, value: counted.sum))
            }
            for (place, devices) in counted.firsts {
                counters.append(
                    StoredCounter(measure: layout.measure(ofFirst: place), cell: cell, value: devices))
            }
            for window in (first..<first + windows).map({ WindowNumber($0) }) {
                distinct.append(
                    StoredDistinct(margin: layout.leaf, cell: cell, window: window, devices: counted.devices))
            }
        }
        return StoredCube(layout: layout, period: Self.day(day), counters: counters, distinct: distinct)
    }

    func header(_ period: Period, groupings: [[Int]], reach: Bool = false) -> ReleaseHeader {
        ReleaseHeader(
            layout: layout, period: period, plan: PlanVersion(hex: String(repeating: "5e", count: 32)),
            threshold: .standard, sampling: 1, reach: reach,
            groupings: groupings.map { Margin(keeping: $0) }.sorted())
    }
}
