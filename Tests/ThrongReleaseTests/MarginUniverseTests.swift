import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("the groupings that anybody could ask for")
struct MarginUniverseTests {
    /// Cities, of which regions and countries are made, and systems.
    private static let town = Town([
        Town.dimension("city", ["a", "b", "c", "d"]),
        Town.dimension("os", ["ios", "other"]),
        Town.dimension("region", ["north", "south"], of: .init(place: 0, buckets: [0, 0, 1, 1])),
        Town.dimension("country", ["here", "there"], of: .init(place: 0, buckets: [0, 0, 0, 1])),
    ])

    private static func margins(shown: [[Int]], leaves: Int) -> [Margin] {
        MarginUniverse.margins(of: town.layout, shown: shown.map { Margin(keeping: $0) }, leaves: leaves)
    }

    @Test("each dimension by itself, coarser or not at all, and all combinations of these, though nobody shows them")
    func all() {
        let wanted = [[], [0], [2], [3]].flatMap { place in [place, place + [1]] }
        #expect(Self.margins(shown: [], leaves: 8) == wanted.map { Margin(keeping: $0) }.sorted())
    }

    @Test("a shown grouping that keeps a dimension twice is one of them")
    func twice() {
        let both = Margin(keeping: [2, 3])
        #expect(!Self.margins(shown: [], leaves: 8).contains(both))
        #expect(Self.margins(shown: [[2, 3]], leaves: 8).contains(both))
        #expect(Self.margins(shown: [[2, 3], []], leaves: 8).count == 9)
    }

    @Test("of more than the largest work, the shown ones and the leaf are left")
    func bounded() {
        let eighth = MarginUniverse.largestWork / 8
        #expect(Self.margins(shown: [[], [1]], leaves: eighth).count == 8)
        #expect(
            Self.margins(shown: [[], [1]], leaves: eighth + 1)
                == [.total, Margin(keeping: [1]), Self.town.layout.leaf].sorted())
    }

    @Test("dimensions by the dozen do not overflow the number of their combinations")
    func many() {
        let wide = Town((0..<30).map { Town.dimension(DimensionName("d\($0)"), ["x", "y"]) })
        let margins = MarginUniverse.margins(of: wide.layout, shown: [.total], leaves: 1)
        #expect(margins == [.total, wide.layout.leaf].sorted())
    }
}
