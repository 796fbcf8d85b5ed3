import Foundation
import Testing
import ThrongCrowd
import ThrongPlan

@Suite("A forecast says what will be published")
struct ForecastTests {
    /// A grouping of a metric, by name, and the share of its events that is shown.
    private typealias Shares = [String: Double]

    private static let devices = 10_000

    /// The shop's, of which a larger k shows less.
    private static func plan(threshold: Int) throws -> Plan {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Deploy/sample/shop.yaml").standardized
        let yaml = try String(contentsOf: file, encoding: .utf8)
            .replacing("threshold: 20 ", with: "threshold: \(threshold) ")
        return try Plan(yaml: yaml, file: "shop.yaml")
    }

    private static func shares(_ plan: Plan, _ folder: CrowdFolder, seed: UInt64) throws -> Shares {
        let terms = Forecast.Terms(devices: devices, days: 3, seed: seed)
        let forecast = try Forecast(of: plan, crowd: try folder.crowd(), terms)
        var shares: Shares = [:]
        for metric in forecast.metrics {
            for grouping in metric.groupings {
                let name = ([metric.metric] + grouping.dimensions).joined(separator: " ")
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

    /// The prediction of somebody who takes it that devices are spread evenly over buckets.
    private static func even(_ plan: Plan, _ measured: Shares) throws -> Shares {
        var shares: Shares = [:]
        for name in measured.keys {
            let words = name.split(separator: " ").map(String.init)
            let layout = try plan.layout(of: try #require(plan.metric(MetricName(words[0]))), rules: .system)
            let cells = layout.dimensions.filter { words.dropFirst().contains($0.name.text) }
                .reduce(1) { $0 * $1.labels.count }
            shares[name] = devices / cells >= plan.app.threshold.devices ? 1 : 0
        }
        return shares
    }

    @Test("shares that are forecast of one half of a crowd's devices are within ten points of the other half's")
    func halves() throws {
        var even = 0.0
        for (folder, threshold) in [(try CrowdFolder.sample(), 40), (CrowdFolder.made(seed: 7), 80)] {
            let (plan, (one, other)) = (try Self.plan(threshold: threshold), folder.halves)
            let predicted = try Self.shares(plan, one, seed: 1)
            let measured = try Self.shares(plan, other, seed: 2)
            let worst = try Self.worst(predicted, measured)
            #expect(worst.points <= 10, "\(worst)")
            even = max(even, try Self.worst(Self.even(plan, measured), measured).points)
        }
        // Whoever knows nothing of tails is far off.
        #expect(even > 20)
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
