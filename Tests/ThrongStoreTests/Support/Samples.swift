import Foundation
import ThrongIngest
import ThrongNoise
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongStore

/// Saturday 2026-11-21T00:00:00Z.
let saturday = UnixSeconds(1_795_219_200)
/// Unit: seconds.
let day: Int64 = 86_400

extension MetricLayout {
    /// Orders by platform (which partitions devices) and step, with a sum in cents.
    static func sample(
        app: AppName = "shop",
        metric: MetricName = "orders",
        steps: [BucketLabel] = ["cart", "paid", "other"],
        period: PeriodKind = .day
    ) -> MetricLayout {
        MetricLayout(
            app: app,
            metric: metric,
            purpose: "product",
            rotation: .standard,
            period: period,
            timeZone: "UTC",
            dimensions: [
                DimensionLayout(
                    name: "platform", labels: ["android", "ios", "other"], partitionsDevices: true, rule: "list"),
                DimensionLayout(name: "step", labels: steps, partitionsDevices: false, rule: "list"),
            ],
            sums: [SumMeasure(name: "revenue", field: "price", lowest: 0, highest: 500, decimals: 2, unit: "EUR")],
            contributionBound: 10,
            groupings: [.total, Margin(keeping: [0]), Margin(keeping: [0, 1])])
    }

    /// A metric with one dimension of so many buckets.
    static func wide(_ buckets: Int, metric: MetricName = "wide") -> MetricLayout {
        MetricLayout(
            app: "shop", metric: metric, purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                DimensionLayout(
                    name: "bucket", labels: (0..<buckets).map { BucketLabel("b\($0)") }, partitionsDevices: true,
                    rule: "list")
            ],
            sums: [], contributionBound: 10, groupings: [.total, Margin(keeping: [0])])
    }

    /// The header of a release of this layout.
    func header(_ period: Period, groupings: [Margin], reach: Bool = true) -> ReleaseHeader {
        ReleaseHeader(
            layout: self, period: period, plan: PlanVersion(hex: "ab"), threshold: Threshold(devices: 20), sampling: 1,
            reach: reach, groupings: groupings)
    }
}

extension Period {
    /// A UTC day.
    static func day(_ start: UnixSeconds) -> Period { PeriodCalendar.utc.period(.day, containing: start) }
}

extension DaemonID {
    /// A daemon that nobody has seen.
    static var new: DaemonID { DaemonID(UUID()) }
}

extension Flush {
    /// A flush of counters of one layout's first cell.
    static func of(
        _ layout: MetricLayout,
        after: UInt64,
        through: UInt64,
        at start: UnixSeconds = saturday,
        cell: UInt32 = 0,
        count: Int64 = 1,
        devices: Int64 = 0,
        margins: [Margin]? = nil
    ) -> Flush {
        let distinct =
            devices == 0
            ? []
            : (margins ?? [layout.leaf]).map { margin in
                DistinctDelta(
                    layout: 0, periodStart: start, margin: margin,
                    cell: layout.projection(from: layout.leaf, to: margin)(CellIndex(cell)),
                    window: WindowNumber(start.flooredQuotient(by: 900)), delta: devices)
            }
        return Flush(
            after: JournalPosition(after),
            through: JournalPosition(through),
            layouts: [layout],
            counters: [
                CounterDelta(layout: 0, periodStart: start, measure: .count, cell: CellIndex(cell), delta: count)
            ],
            distinct: distinct)
    }
}

extension ReleaseEvidence {
    /// A release of it without noise: its numbers are what was counted.
    func drawn(_ header: ReleaseHeader) throws -> ReleaseDecision {
        try Fault.with([.noiseOff]) {
            try MarginCase(header: header, on: self, factors: .none)
                .decide(secret: DrawSecret(bytes: Array(repeating: 7 as UInt8, count: 32)))
        }
    }
}

extension ReleaseStore {
    /// Releases a period without noise; nil where another process released it.
    @discardableResult
    func release(_ header: ReleaseHeader) async throws -> ReleaseDecision? {
        let open = OpenPeriod(layout: header.layout, period: header.period)
        return try await commit(ReleaseScope(open)) { try $0.drawn(header) }
    }
}
