import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("What a dimension is made from says which events its buckets hold, and whether another's are coarser")
struct DimensionOriginTests {
    private func list(_ groups: [String: [String]]) -> BucketingRule {
        .list(groups.sorted { $0.key < $1.key }.map { BucketGroup(label: BucketLabel($0), values: $1) })
    }

    @Test("a dimension of events' names says which events each bucket holds")
    func kinds() {
        let page = DimensionOrigin(field: .event, rule: list(["A": ["a"], "B": ["b", "c"]]))
        #expect(page.kinds(of: ["a", "b", "c", "d"]) == [["a"], ["b", "c"], ["d"]])
        #expect(DimensionOrigin(field: "f", rule: list(["A": ["a"]])).kinds(of: ["a"]) == nil)
    }

    @Test("a rule is coarser where each bucket of the other is known to lie in one of its own")
    func coarser() {
        let fine = list(["a": ["x"], "b": ["y"], "c": ["z"]])
        #expect(list(["a": ["x"], "b": ["y", "z"]]).isCoarser(than: fine))
        #expect(list(["a": ["x"]]).isCoarser(than: fine), "what it does not list lies in 'other'")
        #expect(!fine.isCoarser(than: list(["a": ["x"], "b": ["y", "z"]])))
        #expect(!list(["a": ["x", "w"], "b": ["y", "z"]]).isCoarser(than: fine), "'w' leaves 'other'")
        #expect(BucketingRule.bands(edges: [10, 30]).isCoarser(than: .bands(edges: [10, 20, 30])))
        #expect(!BucketingRule.bands(edges: [15]).isCoarser(than: .bands(edges: [10])))
        #expect(!BucketingRule.language(known: ["de"]).isCoarser(than: .utcOffset(bandHours: 1)))
    }
}
