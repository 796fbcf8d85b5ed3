import Testing

@testable import throng_lab

@Suite("Tables that share leaves, and hierarchies that do not nest, are decided together")
struct LinkedTests {
    private static func named(_ csv: String, _ file: String) throws -> LinkedTables.Named {
        .init(try Table(csv: csv, file: file, columns: .init()), file: file)
    }

    private static func protected(
        _ linked: LinkedTables, hierarchies: [String: [Hierarchy]] = [:], seed: UInt64 = 1
    ) throws -> ProtectedTable {
        let cube = try TableCube(
            of: linked, hierarchies: hierarchies, rule: .init(threshold: 5, percent: nil, cost: .count),
            knowsContributions: false)
        return try ProtectedTable(
            cube, options: SuppressionOptions(seed: seed, attempts: 2, seconds: 10, isStrict: true))
    }

    /// What a table publishes, by its codes.
    private static func published(_ table: ProtectedTable, _ number: Int = 0) -> [[String]: Int64] {
        var found: [[String]: Int64] = [:]
        for (place, cell) in table.cube.cells.enumerated()
        where cell.table == number && table.pattern.isPublished[place] {
            found[cell.codes] = cell.count
        }
        return found
    }

    private static let near = "country,count\nAT,105\nDE,95\n"
    private static let far = "country,count\nAT,105\nDE,95\nLI,3\nLU,1\n"

    @Test("attack 27: two totals of which one holds the other are not both published where they differ by a few")
    func overlapping() throws {
        let (near, far) = (try Self.named(Self.near, "near.csv"), try Self.named(Self.far, "far.csv"))
        // The control: each for itself publishes its total, and both together tell that four are in LI and LU.
        let alone = try [near, far].map { Self.published(try Self.protected(LinkedTables([$0]))) }
        #expect(alone.map { $0[["Total"]] } == [200, 204])
        for seed in 1...5 {
            let both = try Self.protected(LinkedTables([near, far]), seed: UInt64(seed))
            let shown = [Self.published(both, 0), Self.published(both, 1)]
            // AT and DE are the same cells in both.
            let crowd =
                shown[0][["Total"]]
                ?? shown.compactMap { shown -> Int64? in
                    guard let austria = shown[["AT"]], let germany = shown[["DE"]] else { return nil }
                    return austria + germany
                }.first
            #expect(crowd == nil || shown[1][["Total"]] == nil)
            #expect(both.summary.unproved == 0)
            #expect(shown.contains { !$0.isEmpty })
        }
    }

    @Test("a cell that two tables share is published in both or in none, and each table is written for itself")
    func shared() throws {
        let both = try Self.protected(
            LinkedTables([try Self.named(Self.near, "near.csv"), try Self.named(Self.far, "far.csv")]))
        let shown = [Self.published(both, 0), Self.published(both, 1)]
        for code in ["AT", "DE"] { #expect(shown[0][[code]] == shown[1][[code]]) }
        #expect(both.csv(of: 0).split(separator: "\r\n").count == 4)
        #expect(both.csv(of: 1).split(separator: "\r\n").count == 6)
    }

    @Test("tables of different dimensions are linked by their leaves: a shared margin is one cell")
    func leaves() throws {
        let leaves = try Self.named(
            """
            region,age,sex,count
            north,young,f,40
            north,young,m,30
            north,old,f,25
            north,old,m,2
            south,young,f,35
            south,young,m,45
            south,old,f,50
            south,old,m,60
            """, "leaves.csv")
        let ages = try Self.named(
            "region,age,count\nnorth,young,70\nnorth,old,27\nsouth,young,80\nsouth,old,110\n", "ages.csv")
        let sexes = try Self.named(
            "region,sex,count\nnorth,f,65\nnorth,m,32\nsouth,f,85\nsouth,m,105\n", "sexes.csv")
        let linked = try Self.protected(try LinkedTables([ages, sexes], leaves: leaves))
        let shown = [Self.published(linked, 0), Self.published(linked, 1)]
        #expect(shown[0][["north", "Total"]] == 97 && shown[1][["north", "Total"]] == 97)
        // Neither table shows the two, so everything may be published.
        #expect(linked.summary.published == linked.summary.cells)
        #expect(linked.cube.members.map(\.dimensions) == [["region", "age"], ["region", "sex"]])

        let wrong = try Self.named("region,age,count\nnorth,young,71\n", "ages.csv")
        #expect(throws: TableError.notTheSum(file: "ages.csv", row: 2)) { try LinkedTables([wrong], leaves: leaves) }
        #expect(
            throws: TableError.otherDimensions(
                file: "sexes.csv", found: ["region", "sex"], expected: ["region", "age"])
        ) { try LinkedTables([ages, sexes]) }
        let other = try Self.named("region,age,count\nnorth,young,70\nnorth,old,28\n", "other.csv")
        #expect(throws: TableError.otherNumbers(file: "other.csv", row: 3, other: "ages.csv", otherRow: 3)) {
            try LinkedTables([ages, other])
        }
    }

    private static let places = "place,count\na,30\nb,3\nc,40\nd,50\n"
    private static func regions() throws -> Hierarchy {
        try Hierarchy(csv: "code,parent\na,north\nb,north\nc,south\nd,south\n", file: "regions.csv")
    }
    private static func markets() throws -> Hierarchy {
        try Hierarchy(csv: "code,parent\na,coast\nb,inland\nc,inland\nd,inland\n", file: "markets.csv")
    }

    @Test("a code with a parent by region and another by market: nothing follows from both hierarchies together")
    func crossing() throws {
        let table = try Self.named(Self.places, "t.csv")
        let alone = try [Self.regions(), Self.markets()].map { tree in
            Self.published(try Self.protected(LinkedTables([table]), hierarchies: ["place": [tree]]))
        }
        // The control: north is a and b, and the coast is a.
        #expect(alone[0][["north"]] == 33 && alone[0][["a"]] == nil && alone[1][["coast"]] == 30)
        for seed in 1...5 {
            let both = try Self.protected(
                LinkedTables([table]), hierarchies: ["place": [try Self.regions(), try Self.markets()]],
                seed: UInt64(seed))
            let shown = Self.published(both)
            #expect(
                Set(both.cube.cells.map { $0.codes[0] }) == [
                    "a", "b", "c", "d", "north", "south", "coast", "inland", "Total",
                ])
            #expect(shown[["b"]] == nil)
            #expect(shown[["north"]] == nil || shown[["a"]] == nil && shown[["coast"]] == nil)
            let rest = [["inland"], ["c"], ["d"]].map { shown[$0] }
            #expect(rest.contains(nil))
            #expect(both.summary.unproved == 0)
        }
    }

    @Test("a region inside a market of another hierarchy: what is left of the market is k or more, or not known")
    func nested() throws {
        let table = try Self.named("place,count\na,30\nb,20\nc,2\nd,2\ne,60\nf,70\n", "t.csv")
        let regions = try Hierarchy(csv: "code,parent\na,r\nb,r\nc,s\nd,s\ne,s\nf,s\n", file: "regions.csv")
        let markets = try Hierarchy(csv: "code,parent\na,m\nb,m\nc,m\nd,m\ne,n\nf,n\n", file: "markets.csv")
        for seed in 1...5 {
            let both = try Self.protected(
                LinkedTables([table]), hierarchies: ["place": [regions, markets]], seed: UInt64(seed))
            let shown = Self.published(both)
            // m less r is c and d together, which are four.
            let region =
                shown[["r"]]
                ?? zip([shown[["a"]]], [shown[["b"]]]).compactMap { a, b in
                    a.flatMap { a in b.map { a + $0 } }
                }.first
            #expect(shown[["m"]] == nil || region == nil, "\(shown)")
        }
    }

    @Test("a code that two hierarchies name for different leaves is refused; shares of publishable cells count levels")
    func errors() throws {
        let table = try Self.named(Self.places, "t.csv")
        let other = try Hierarchy(csv: "code,parent\na,north\nb,x\nc,x\nd,x\n", file: "h.csv")
        #expect(throws: TableError.codeOfTwoMeanings(dimension: "place", code: "north")) {
            try Self.protected(LinkedTables([table]), hierarchies: ["place": [try Self.regions(), other]])
        }
        let summary = try Self.protected(LinkedTables([table])).summary
        #expect(summary.levels.map(\.dimensions) == [0, 1])
        #expect(summary.levels[0].published == 1 && summary.levels[0].shareOfCount == 1)
        #expect(summary.levels[1].publishable == 3 && summary.levels[1].published == 2)
        #expect(summary.levels[1].shareOfCount == 90.0 / 120)
    }
}
