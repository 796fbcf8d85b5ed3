import Testing
import ThrongPlan

@Suite("A layout's identity outlives what later versions add to layouts")
struct LayoutIdentityTests {
    private static func layout(sampling: Double = 1) -> MetricLayout {
        MetricLayout(
            app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: [
                .init(name: "os", labels: ["ios", "android", "other"], partitionsDevices: true, rule: "list"),
                .init(name: "category", labels: ["cake", "bread", "other"], partitionsDevices: false, rule: "list"),
            ],
            sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
            contributionBound: 6, sampling: sampling,
            groupings: [.total, Margin(bits: 1), Margin(bits: 2), Margin(bits: 3)])
    }

    @Test("a layout without hierarchies, structural zeros and sampling has the identity that it had before those")
    func unchanged() {
        #expect(
            Self.layout().id.description == "a727ae74eb5cb7125ecc7a29afed65fda4800f06d00b3f98e8a1c5d52e10a4a0")
    }

    @Test("another sampling rate starts new counters, and the layout says which", arguments: [0.000001, 0.1, 0.25])
    func sampling(rate: Double) throws {
        let sampled = Self.layout(sampling: rate)
        #expect(sampled.id != Self.layout().id)
        let read = try MetricLayout(json: sampled.json)
        #expect(read == sampled && read.sampling == rate)
        #expect(try MetricLayout(json: Self.layout().json).sampling == 1)
    }
}
