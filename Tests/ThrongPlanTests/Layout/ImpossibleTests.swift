import Testing
import ThrongPlan
import ThrongSystem

@Suite("What cannot occur is known of every cell of every margin")
struct ImpossibleTests {
    private static let names = ["x", "y", "z"]
    private static let sizes = [2, 3, 4]

    private static func layout(_ impossible: [ImpossibleCombination]) -> MetricLayout {
        MetricLayout(
            app: "a", metric: "m", purpose: "p", rotation: .standard, period: .day, timeZone: "UTC",
            dimensions: zip(names, sizes).map { name, size in
                .init(
                    name: DimensionName(name), labels: (0..<size).map { BucketLabel("\($0)") },
                    partitionsDevices: false, rule: "")
            } + [
                .init(
                    name: "half", labels: ["low", "other"], partitionsDevices: false, rule: "of z",
                    coarsening: .init(place: 2, buckets: [0, 0, 1, 1])),
                .init(
                    name: "edge", labels: ["first", "other"], partitionsDevices: false, rule: "of z",
                    coarsening: .init(place: 2, buckets: [0, 1, 1, 1])),
            ],
            sums: [], contributionBound: 1, groupings: [], impossible: impossible)
    }

    @Test("a cell is impossible exactly where each of its leaves lies in a combination", arguments: 0..<60)
    func everyCell(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let combinations = (0..<Int.random(in: 1...9, using: &random)).map { _ in
            let places = (0..<3).filter { _ in Int.random(in: 0..<5, using: &random) < 3 }
            return ImpossibleCombination(
                parts: (places.isEmpty ? [2] : places).map { place in
                    .init(
                        dimension: DimensionName(Self.names[place]),
                        bucket: BucketLabel("\(Int.random(in: 0..<Self.sizes[place], using: &random))"))
                })
        }
        let layout = Self.layout(combinations)
        let leaves = (UInt32(0)..<24).map { CellIndex($0) }
        let forbidden = leaves.filter { leaf in
            let buckets = layout.buckets(of: leaf, in: layout.leaf)
            return combinations.contains { combination in
                combination.parts.allSatisfy { part in
                    Self.names.firstIndex(of: part.dimension.text).map { "\(buckets[$0])" } == part.bucket.text
                }
            }
        }
        #expect(leaves.filter { layout.impossibleLeaves?.contains($0) == true } == forbidden)
        for margin in (UInt32(0)..<32).map({ Margin(bits: $0) }) {
            for cell in (0..<UInt32(layout.size(of: margin))).map({ CellIndex($0) }) {
                let below = leaves.filter { layout.projection(from: layout.leaf, to: margin)($0) == cell }
                #expect(layout.isImpossible(cell, in: margin) == below.allSatisfy(forbidden.contains))
            }
        }
    }

    @Test("two groups of the same buckets that exclude each other make an impossible cell, with nothing declared")
    func contradiction() {
        let layout = Self.layout([])
        #expect(layout.impossibleLeaves == nil)
        let margin = Margin(bits: 0b11000)
        // half = other and edge = first: no bucket of z is in both.
        #expect((UInt32(0)..<4).filter { layout.isImpossible(CellIndex($0), in: margin) } == [2])
    }
}
