import Testing
import ThrongPlan

@testable import ThrongCounting

@Suite("Cells fall into margins as their buckets say")
struct ProjectionTests {
    private static let layout = MetricLayout(
        app: "a", metric: "m", purpose: "p", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [
            .init(name: "x", labels: ["0", "1"], partitionsDevices: false, rule: ""),
            .init(name: "y", labels: ["0", "1", "2"], partitionsDevices: true, rule: ""),
            .init(name: "z", labels: ["0", "1", "2", "3", "4"], partitionsDevices: false, rule: ""),
        ],
        sums: [], contributionBound: 1, groupings: (0..<8).map { Margin(bits: $0) })

    @Test("the fast projection, the layout's and the buckets agree for every cell and margin")
    func agreement() {
        for bits in UInt32(0)..<8 {
            let margin = Margin(bits: bits)
            let fast = Projection(layout: Self.layout, to: margin)
            for cell in UInt32(0)..<30 {
                let buckets = Self.layout.buckets(of: CellIndex(cell), in: Self.layout.leaf)
                let kept = (0..<3).filter { margin.keeps($0) }.map { buckets[$0] }
                let expected = Self.layout.cell(buckets: kept, in: margin)
                #expect(CellIndex(fast(cell)) == expected)
                #expect(Self.layout.project(CellIndex(cell), from: Self.layout.leaf, to: margin) == expected)
                #expect(Self.layout.buckets(of: expected, in: margin) == kept)
            }
        }
    }

    @Test("only margins that keep the partition are tracked, the leaf first")
    func tracked() {
        #expect(Self.layout.trackedMargins == [Margin(bits: 7), Margin(bits: 2), Margin(bits: 3), Margin(bits: 6)])
    }

    @Test("a layout is the same after its JSON, and another as soon as anything differs")
    func identity() throws {
        #expect(try MetricLayout(json: Self.layout.json) == Self.layout)
        var dimensions = Self.layout.dimensions
        dimensions[0] = .init(name: "x", labels: ["0", "1"], partitionsDevices: false, rule: "moved edges")
        let other = MetricLayout(
            app: "a", metric: "m", purpose: "p", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: dimensions, sums: [], contributionBound: 1, groupings: [])
        #expect(other.id != Self.layout.id)
    }
}
