import Testing

@testable import throng_lab

@Suite("A table that someone brings is read strictly and protected with proof")
struct TableTests {
    private static let people = """
        region,age,count
        north,young,20
        north,old,40
        south,young,3
        south,old,37
        """

    private static func protected(
        _ csv: String, hierarchies: [String: [Hierarchy]] = [:], threshold: Int64 = 5, columns: Table.Columns = .init(),
        percent: Int64? = nil
    ) throws -> ProtectedTable {
        let table = try Table(csv: csv, file: "t.csv", columns: columns)
        let cube = try TableCube(
            of: LinkedTables([.init(table, file: "t.csv")]), hierarchies: hierarchies,
            rule: .init(threshold: threshold, percent: percent, cost: .count),
            knowsContributions: columns.largest != nil)
        return try ProtectedTable(
            cube, options: SuppressionOptions(seed: 1, attempts: 2, seconds: 10, isStrict: true))
    }

    private static func isPublished(_ table: ProtectedTable, _ codes: String...) -> Bool? {
        table.cube.cells.firstIndex { $0.codes == codes }.map { table.pattern.isPublished[$0] }
    }

    @Test("a small cell takes three others with it in a two by two table, and totals stay")
    func twoByTwo() throws {
        let table = try Self.protected(Self.people)
        #expect(table.cube.cells.count == 9)
        for codes in [["north", "young"], ["north", "old"], ["south", "young"], ["south", "old"]] {
            #expect(Self.isPublished(table, codes[0], codes[1]) == false)
        }
        #expect(Self.isPublished(table, "Total", "Total") == true)
        #expect(Self.isPublished(table, "north", "Total") == true)
        #expect(table.summary.unproved == 0)
        #expect(table.csv().contains("south,young,,withheld\r\n"))
        #expect(table.csv().contains("Total,Total,100,published\r\n"))
    }

    @Test("an empty cell, a small one and one that protects another are written alike, in an order that tells nothing")
    func oneMarker() throws {
        func lines(_ csv: String) throws -> [String] {
            try Self.protected("a,count\n" + csv).csv().split(separator: "\r\n").map { String($0) }
        }
        // The proof that x may be 6 is a table in which y is 0: nobody may know that y is at least 1.
        #expect(
            try lines("x,4\ny,2\nz,0\n") == [
                "a,count,status", "Total,6,published", "x,,withheld", "y,,withheld", "z,,withheld",
            ])
        #expect(try lines("z,0\ny,2\nx,4\n") == lines("y,4\nz,2\nx,0\n"))
    }

    @Test("attack 25: a witness lifts a cell over k, because a cell of just k beside empty ones would be published")
    func rerun() throws {
        let table = try Self.protected("a,count\nx,4\ny,1\n")
        #expect(Self.isPublished(table, "Total") == false)
        #expect(table.proof.threshold == 6)
    }

    @Test("every witness, added to the rows, leaves all published counts and lifts its cells to k")
    func witnesses() throws {
        let table = try Self.protected(Self.people)
        #expect(!table.pattern.witnesses.isEmpty)
        for witness in table.pattern.witnesses {
            var values = table.cube.problem.measures[witness.measure].values
            for change in witness.changes { values[Int(change.leaf.value)] += change.amount }
            #expect(values.allSatisfy { $0 >= 0 })
            for (place, cell) in table.cube.cells.enumerated() where table.pattern.isPublished[place] {
                #expect(table.cube.problem.columns[place].reduce(0) { $0 + values[Int($1)] } == cell.count)
            }
            for cell in witness.proves {
                #expect(table.cube.problem.columns[Int(cell.value)].reduce(0) { $0 + values[Int($1)] } >= 5)
            }
        }
    }

    @Test("a hierarchy's levels are cells of their own, summed from the leaves")
    func hierarchy() throws {
        let tree = try Hierarchy(csv: "code,parent\na,x\nb,x\nc,y\nx,All\ny,All\n", file: "h.csv")
        let table = try Self.protected("place,count\na,3\nb,30\nc,50\n", hierarchies: ["place": [tree]])
        #expect(Set(table.cube.cells.map { $0.codes[0] }) == ["a", "b", "c", "x", "y", "All"])
        #expect(table.cube.cells.first { $0.codes == ["x"] }?.count == 33)
        #expect(Self.isPublished(table, "a") == false)
        #expect(Self.isPublished(table, "b") == false || Self.isPublished(table, "x") == false)
    }

    @Test("a table without small cells is published whole")
    func nothingSmall() throws {
        let table = try Self.protected("a,b,count\nx,1,9\nx,2,8\ny,1,7\ny,2,6\n")
        #expect(table.summary.published == table.summary.cells)
    }

    @Test("a cell that its second largest contributor could estimate is sensitive, one that it could not is not")
    func dominance() throws {
        let columns = Table.Columns(value: "turnover", largest: "x1", second: "x2")
        let table = try Table(
            csv: "branch,count,turnover,x1,x2\na,6,105.0,80,20\nb,6,108,80,20\nc,6,300,60,50\n", file: "t.csv",
            columns: columns)
        let cube = try TableCube(
            of: LinkedTables([.init(table, file: "t.csv")]), hierarchies: [:],
            rule: .init(threshold: 5, percent: 10, cost: .value), knowsContributions: true)
        // p = 10: 105 - 100 < 8 is sensitive, 108 - 100 = 8 is not.
        #expect(cube.cells.map { $0.codes[0] }.filter { $0 != "Total" }.count == 3)
        #expect(cube.problem.cells[0].isSensitive)
        #expect(!cube.problem.cells[2].isSensitive)
        #expect(table.decimals == 1)
    }

    @Test(
        "each fault is named with its row",
        arguments: [
            ("a,b\n1,2\n", "has no column 'count'"), ("a,count\nx,1\nx,2\n", "t.csv:3: the same cell as row 2"),
            ("a,count\nx,-1\n", "t.csv:2: column 'count'"), ("a,count\nx,1.5\n", "t.csv:2: column 'count'"),
            ("a,count\nx,\n", "t.csv:2: column 'count'"), ("a,count\n", "has no rows"),
            ("a,count\nTotal,3\n", "t.csv:2: 'Total' is a parent"),
            ("a,count\nx,99999999999999999999\n", "t.csv:2: column 'count'"),
        ])
    func faults(csv: String, words: String) {
        do {
            _ = try Self.protected(csv)
            Issue.record("accepted: \(csv)")
        } catch {
            #expect("\(error)".contains(words))
        }
    }

    @Test("a hierarchy that is no tree is refused", arguments: ["c,p\na,b\nb,a\n", "c,p\na,b\na,c\n", "c,p\na,a\n"])
    func notATree(csv: String) {
        #expect(throws: TableError.self) { try Hierarchy(csv: csv, file: "h.csv") }
    }

    @Test("a code that its hierarchy does not name is refused, with its row")
    func unknownCode() throws {
        let tree = try Hierarchy(csv: "code,parent\na,x\nb,x\n", file: "h.csv")
        #expect(
            throws: TableError.codeNotInHierarchy(file: "t.csv", row: 4, dimension: "place", code: "bb")
        ) {
            try Self.protected("place,count\na,30\nb,30\nbb,50\n", hierarchies: ["place": [tree]])
        }
    }

    @Test("the exact pattern withholds no more than the search's, and says so in shares")
    func exact() throws {
        let table = try Table(csv: Self.people, file: "t.csv", columns: .init())
        let cube = try TableCube(
            of: LinkedTables([.init(table, file: "t.csv")]), hierarchies: [:],
            rule: .init(threshold: 5, percent: nil, cost: .equal), knowsContributions: false)
        let options = SuppressionOptions(seed: 1, isStrict: true)
        let least = try ProtectedTable(cube, options: options, leastWithin: 20).summary
        #expect(least.complementary.cells <= (try ProtectedTable(cube, options: options).summary.complementary.cells))
        #expect(least.sensitive.cells == 1)
        #expect(least.sensitive.shareOfCells == 1.0 / 9)
        // Of four tables laid over each other: leaves, two margins, the total.
        #expect(least.sensitive.shareOfCount == 3.0 / 400)
        #expect(least.proofs.needed > 0 && least.proofs.missing == 0)
        #expect(throws: ProtectionError.timedOut(seconds: 0)) {
            try ProtectedTable(cube, options: options, leastWithin: 0)
        }
    }

    @Test("rows of the result read downwards: each sum, then its parts")
    func readingOrder() throws {
        let tree = try Hierarchy(csv: "code,parent\na,x\nb,x\nc,y\nx,All\ny,All\n", file: "h.csv")
        let table = try Self.protected("place,count\nc,50\na,30\nb,40\n", hierarchies: ["place": [tree]])
        let rows = table.csv().split(separator: "\r\n").map { $0.split(separator: ",")[0] }
        #expect(rows == ["place", "All", "x", "a", "b", "y", "c"])
    }
}
