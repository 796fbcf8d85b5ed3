import Foundation
import Testing
import ThrongCrowd
import ThrongPlan

@Suite("A forecast says what will be published")
struct ForecastTests {
    /// A grouping of a metric, by name, and the share of its events that is shown.
    private typealias Shares = [String: Double]

    private static let devices = 40_000

    /// The shop's, of which a larger k shows less.
    private static func plan(threshold: Int) throws -> Plan {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Deploy/sample/shop.yaml").standardized
        let yaml = try String(contentsOf: file, encoding: .utf8)
            .replacing("threshold: 20 ", with: "threshold: \(threshold) ")
        return try Plan(yaml: yaml, file: "shop.yaml")
    }

    private static func shares(
        _ plan: Plan, _ folder: CrowdFolder, devices: Int = devices, seed: UInt64
    ) throws -> Shares {
        let terms = Forecast.Terms(devices: devices, days: 3, seed: seed)
        let forecast = try Forecast(of: plan, crowd: try folder.crowd(), terms)
        var shares: Shares = [:]
        for metric in forecast.metrics {
            for grouping in metric.groupings {
                let name = ([metric.metric, metric.period.rawValue] + grouping.dimensions).joined(separator: " ")
                shares[name] = grouping.shown
            }
        }
        return shares
    }

    /// By how much a prediction is off at most, and where.
    private static func worst(_ predicted: Shares, _ measured: Shares) throws -> (grouping: String, points: Double) {
        #expect(Set(predicted.keys) == Set(measured.keys) && measured.count > 20)
        let off = measured.map { ($0.key, points: 100 * abs($0.value - (predicted[$0.key] ?? 0))) }
        return try #require(off.max { $0.points < $1.points })
    }

    @Test("a forecast by half of a crowd is within ten points of the other half; one for a twentieth is far off")
    func halves() throws {
        let plan = try Self.plan(threshold: 40)
        var off = 0.0
        for (one, other) in [try CrowdFolder.sample(), CrowdFolder.made(seed: 7)].map(\.halves) {
            let measured = try Self.shares(plan, other, seed: 2)
            let worst = try Self.worst(try Self.shares(plan, one, seed: 1), measured)
            #expect(worst.points <= 10, "\(worst)")
            let fewer = try Self.shares(plan, one, devices: Self.devices / 20, seed: 1)
            off = max(off, try Self.worst(fewer, measured).points)
        }
        #expect(off > 20)
    }

    @Test("the same seed has the same crowd and the same noise")
    func seeds() throws {
        let (plan, folder) = (try Self.plan(threshold: 20), CrowdFolder.made(seed: 7))
        func groupings(_ seed: UInt64) throws -> [[GroupingForecast]] {
            try Forecast(of: plan, crowd: try folder.crowd(), Forecast.Terms(devices: 500, days: 1, seed: seed))
                .metrics.map(\.groupings)
        }
        let one = try groupings(1)
        #expect(try groupings(1) == one)
        #expect(try groupings(2) != one)
    }
}
