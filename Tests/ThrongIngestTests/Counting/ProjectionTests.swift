import Testing
import ThrongPlan

@Suite("Cells fall into margins as their buckets say")
struct ProjectionTests {
    /// x, y and z are counted; half and inner are made of z, third of y.
    private static let layout = MetricLayout(
        app: "a", metric: "m", purpose: "p", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: base + [
            .init(
                name: "half", labels: ["low", "other"], partitionsDevices: false, rule: "of z",
                coarsening: .init(place: 2, buckets: [0, 0, 1, 1, 1])),
            .init(
                name: "third", labels: ["first", "other"], partitionsDevices: true, rule: "of y",
                coarsening: .init(place: 1, buckets: [1, 0, 1])),
            .init(
                name: "inner", labels: ["inner", "other"], partitionsDevices: false, rule: "of z",
                coarsening: .init(place: 2, buckets: [1, 0, 0, 0, 1])),
        ],
        sums: [], contributionBound: 1, groupings: (0..<64).map { Margin(bits: $0) })
    private static let base: [MetricLayout.DimensionLayout] = [
        .init(name: "x", labels: ["0", "1"], partitionsDevices: false, rule: ""),
        .init(name: "y", labels: ["0", "1", "2"], partitionsDevices: true, rule: ""),
        .init(name: "z", labels: ["0", "1", "2", "3", "4"], partitionsDevices: false, rule: ""),
    ]

    /// The labels of a leaf cell in a margin, by mapping each base bucket to its name and that to its group's.
    private static func labels(ofLeaf cell: UInt32, in margin: Margin) -> [String] {
        let x = Int(cell / 15)
        let y = Int(cell / 5 % 3)
        let z = Int(cell % 5)
        let all = [
            "\(x)", "\(y)", "\(z)", z < 2 ? "low" : "other", y == 1 ? "first" : "other",
            (1...3).contains(z) ? "inner" : "other",
        ]
        return all.indices.filter(margin.keeps).map { all[$0] }
    }

    private static func labels(of cell: CellIndex, in margin: Margin) -> [String] {
        let kept = layout.dimensions.indices.filter(margin.keeps)
        return zip(kept, layout.buckets(of: cell, in: margin)).map { layout.dimensions[$0].labels[$1].text }
    }

    @Test("a leaf's cell in any margin has the labels of the leaf's own buckets, grouped")
    func agreement() {
        #expect(Self.layout.leaf == Margin(bits: 7))
        for bits in UInt32(0)..<64 {
            let margin = Margin(bits: bits)
            let projection = Self.layout.projection(from: Self.layout.leaf, to: margin)
            for leaf in UInt32(0)..<30 {
                let cell = projection(CellIndex(leaf))
                #expect(Self.labels(of: cell, in: margin) == Self.labels(ofLeaf: leaf, in: margin))
                #expect(Self.layout.projection(from: Self.layout.leaf, to: margin)(CellIndex(leaf)) == cell)
                #expect(Self.layout.cell(buckets: Self.layout.buckets(of: cell, in: margin), in: margin) == cell)
                #expect(Int(cell.value) < Self.layout.size(of: margin))
            }
        }
    }

    @Test("going through any margin in between leads to the same cell, whether it keeps a dimension or what it is of")
    func composition() {
        var pairs = 0
        for between in (UInt32(0)..<64).map({ Margin(bits: $0) }) {
            for margin in (UInt32(0)..<64).map({ Margin(bits: $0) }) where Self.layout.refines(between, margin) {
                pairs += 1
                let first = Self.layout.projection(from: Self.layout.leaf, to: between)
                let second = Self.layout.projection(from: between, to: margin)
                let straight = Self.layout.projection(from: Self.layout.leaf, to: margin)
                #expect((UInt32(0)..<30).allSatisfy { second(first(CellIndex($0))) == straight(CellIndex($0)) })
            }
        }
        // Of x alone 3, of y with third 11, of z with half and inner 41: bit sets alone would allow 3^6.
        #expect(pairs == 3 * 11 * 41)
    }

    @Test("a margin refines another exactly where its cells determine the other's")
    func refinement() {
        for finer in (UInt32(0)..<64).map({ Margin(bits: $0) }) {
            for coarser in (UInt32(0)..<64).map({ Margin(bits: $0) }) {
                var seen: [[String]: Set<[String]>] = [:]
                for leaf in UInt32(0)..<30 {
                    seen[Self.labels(ofLeaf: leaf, in: finer), default: []]
                        .insert(Self.labels(ofLeaf: leaf, in: coarser))
                }
                #expect(Self.layout.refines(finer, coarser) == seen.values.allSatisfy { $0.count == 1 })
            }
        }
    }

    @Test("tracked margins keep the partition, and none keeps a dimension with what is made of it; the leaf is first")
    func tracked() {
        let tracked = Self.layout.trackedMargins
        #expect(tracked.first == Self.layout.leaf)
        #expect(tracked.dropFirst().sorted() == Array(tracked.dropFirst()))
        #expect(Set(tracked).count == tracked.count)
        #expect(tracked.allSatisfy { Self.layout.refines($0, Self.layout.partition) })
        #expect(tracked.allSatisfy { !$0.keeps(4) && !($0.keeps(2) && ($0.keeps(3) || $0.keeps(5))) })
        // With and without x; of z: itself, half, inner, both or nothing.
        #expect(tracked.count == 2 * 5)
        for bits in UInt32(0)..<64 {
            let margin = Margin(bits: bits)
            #expect(tracked.contains(Self.layout.trackedMargin(for: margin)))
            #expect(Self.layout.refines(Self.layout.trackedMargin(for: margin), margin))
        }
    }

    @Test("without derived dimensions, tracked margins are what they were")
    func trackedBase() {
        let layout = MetricLayout(
            app: "a", metric: "m", purpose: "p", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: Self.base, sums: [], contributionBound: 1, groupings: (0..<8).map { Margin(bits: $0) })
        #expect(layout.trackedMargins == [Margin(bits: 7), Margin(bits: 2), Margin(bits: 3), Margin(bits: 6)])
        #expect(layout.partition == Margin(bits: 2))
    }

    @Test("a layout is the same after its JSON, and another as soon as anything differs")
    func identity() throws {
        #expect(try MetricLayout(json: Self.layout.json) == Self.layout)
        func other(_ change: (inout [MetricLayout.DimensionLayout]) -> Void, impossible: [ImpossibleCombination] = [])
            -> MetricLayout
        {
            var dimensions = Self.layout.dimensions
            change(&dimensions)
            return MetricLayout(
                app: "a", metric: "m", purpose: "p", rotation: .standard, period: .day, timeZone: "UTC",
                dimensions: dimensions, sums: [], contributionBound: 1, groupings: (0..<64).map { Margin(bits: $0) },
                impossible: impossible)
        }
        #expect(other({ _ in }).id == Self.layout.id)
        let moved = other { $0[0] = .init(name: "x", labels: ["0", "1"], partitionsDevices: false, rule: "moved") }
        #expect(moved.id != Self.layout.id)
        let regrouped = other {
            $0[3] = .init(
                name: "half", labels: ["low", "other"], partitionsDevices: false, rule: "of z",
                coarsening: .init(place: 2, buckets: [0, 0, 0, 1, 1]))
        }
        #expect(regrouped.id != Self.layout.id)
        let bounded = other(
            { _ in }, impossible: [ImpossibleCombination(parts: [.init(dimension: "x", bucket: "1")])])
        #expect(bounded.id != Self.layout.id)
        #expect(try MetricLayout(json: bounded.json) == bounded)
    }
}
