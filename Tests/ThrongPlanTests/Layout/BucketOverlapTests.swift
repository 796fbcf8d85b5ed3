import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("Which buckets of two rules on one field can hold the same value")
struct BucketOverlapTests {
    private func meeting(
        _ first: BucketingRule, _ second: BucketingRule, fields: (FieldName, FieldName) = ("f", "f")
    ) -> [[Int]]? {
        BucketOverlap(
            of: DimensionOrigin(field: fields.0, rule: first), and: DimensionOrigin(field: fields.1, rule: second)
        )?.partners
    }

    private func list(_ groups: [String: [String]]) -> BucketingRule {
        .list(groups.sorted { $0.key < $1.key }.map { BucketGroup(label: BucketLabel($0), values: $1) })
    }

    @Test("a rule meets itself bucket by bucket, and nothing of another field")
    func same() {
        let bands = BucketingRule.bands(edges: [1, 2])
        #expect(meeting(bands, bands) == [[0], [1], [2], [3]])
        #expect(meeting(bands, bands, fields: ("f", "g")) == nil)
    }

    @Test("lists meet where they name a value in common, and what they leave over meets")
    func lists() {
        let (near, far) = (list(["near": ["AT", "DE"]]), list(["far": ["AT", "DE", "LI", "LU"]]))
        #expect(meeting(near, far) == [[0], [0, 1]])
        #expect(meeting(far, near) == [[0, 1], [1]])
        #expect(meeting(list(["a": ["x", "y"], "b": ["z"]]), list(["c": ["y", "z"]])) == [[0, 1], [0], [1]])
        #expect(
            meeting(list(["a": ["x"]]), list(["b": ["y"]])) == [[1], [0, 1]], "AT is among what the other leaves over")
    }

    @Test("countries are compared in either case")
    func regions() {
        let region = BucketingRule.region([BucketGroup(label: "near", values: ["AT", "DE"])])
        #expect(meeting(region, list(["a": ["AT"]])) == [[0, 1], [1]])
    }

    @Test("bands meet where they overlap; a number that both leave over does, too")
    func bands() {
        #expect(
            meeting(.bands(edges: [10, 20]), .bands(edges: [10, 15, 20])) == [[0], [1, 2], [3], [4]])
        #expect(meeting(.bands(edges: [10]), .bands(edges: [15])) == [[0], [0, 1], [2]])
        #expect(
            meeting(.powers(base: 2, lowestExponent: 1, highestExponent: 2), .bands(edges: [2, 4])) == [
                [0], [1], [2], [3],
            ])
    }

    @Test("a minor version lies in its major one")
    func versions() throws {
        let found = try #require(
            meeting(.version(level: .major, known: ["1", "2"]), .version(level: .minor, known: ["1.0", "1.1", "2.0"])))
        #expect(found == [[0, 1, 3], [2, 3], [3]])
    }

    @Test("a list's values are tried on other rules, and what it leaves over may be anything")
    func across() {
        #expect(meeting(list(["low": ["1", "2"]]), .bands(edges: [5])) == [[0], [0, 1, 2]])
        #expect(meeting(.browser(families: []), .operatingSystem(families: [])) == nil)
        #expect(meeting(.language(known: ["de"]), .utcOffset(bandHours: 1)) == nil)
    }

    @Test("a dimension of events' names says which events each bucket holds")
    func kinds() {
        let page = DimensionOrigin(field: .event, rule: list(["A": ["a"], "B": ["b", "c"]]))
        #expect(page.kinds(of: ["a", "b", "c", "d"]) == [["a"], ["b", "c"], ["d"]])
        #expect(DimensionOrigin(field: "f", rule: list(["A": ["a"]])).kinds(of: ["a"]) == nil)
    }

    private func following(_ first: BucketingRule, _ second: BucketingRule) throws -> [[Int]] {
        let (mine, its) = (DimensionOrigin(field: "f", rule: first), DimensionOrigin(field: "f", rule: second))
        let overlap = try #require(BucketOverlap(of: mine, and: its))
        return overlap.followingPieces(count: try second.bucketingByLabel.labels.count).map { [$0.first, $0.second] }
    }

    @Test("what two splits say of a piece that neither has follows, unless pieces can be moved round in a circle")
    func pieces() throws {
        #expect(try following(.bands(edges: [10]), .bands(edges: [15])) == [[1, 0]], "10 to 15 is <15 less <10")
        #expect(try following(.bands(edges: [10, 20]), .bands(edges: [12, 24])) == [[1, 0], [1, 1], [2, 1]])
        #expect(
            try following(.bands(edges: [10, 20]), .bands(edges: [10, 15, 20])) == [], "a finer split has them all")
        #expect(try following(list(["a": ["x", "y"], "b": ["z"]]), list(["c": ["y", "z"]])) == [[0, 0], [0, 1]])
        let rows = list(["a": ["1", "2"], "b": ["3", "4"]])
        let columns = list(["c": ["1", "3"], "d": ["2", "4"]])
        #expect(try following(rows, columns) == [], "one more of 1 and 4, one fewer of 2 and 3: the sums stay")
    }
}
