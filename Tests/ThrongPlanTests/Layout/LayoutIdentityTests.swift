import Testing
import ThrongPlan

@Suite("A layout's identity outlives what later versions add to layouts")
struct LayoutIdentityTests {
    private static let layout = MetricLayout(
        app: "shop", metric: "views", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [
            .init(name: "os", labels: ["ios", "android", "other"], partitionsDevices: true, rule: "list"),
            .init(name: "category", labels: ["cake", "bread", "other"], partitionsDevices: false, rule: "list"),
        ],
        sums: [SumMeasure(name: "paid", field: "paid", lowest: 0, highest: 100, decimals: 2, unit: "EUR")],
        contributionBound: 6,
        groupings: [.total, Margin(bits: 1), Margin(bits: 2), Margin(bits: 3)])

    @Test("a layout without hierarchies and structural zeros has the identity that it had before there were any")
    func unchanged() {
        #expect(
            Self.layout.id.description == "a727ae74eb5cb7125ecc7a29afed65fda4800f06d00b3f98e8a1c5d52e10a4a0")
    }
}
