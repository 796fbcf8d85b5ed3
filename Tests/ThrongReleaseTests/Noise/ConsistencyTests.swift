import Testing
import ThrongSystem

@testable import ThrongNoise

@Suite("Rounded numbers add up")
struct ConsistencyTests {
    /// Three by four cells: their rows, their columns, and the cells themselves.
    private static let table = ConsistentTable(
        cells: 12,
        groupings: [
            .init(cells: 3, places: (0..<12).map { $0 / 4 }), .init(cells: 4, places: (0..<12).map { $0 % 4 }),
            .init(cells: 12, places: Array(0..<12)),
        ])

    @Test("what is whole already stays as it is")
    func wholeStays() {
        let counted: [Int64] = [5, 0, 7, 1, 0, 0, 30, 2, 9, 9, 0, 4]
        #expect(Self.table.rounded(counted.map { Double($0) }, total: 67) == counted)
    }

    @Test("whatever the table, its numbers have the total exactly, none is negative, and no cell or sum is far off")
    func addsUp() {
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let table = (0..<12).map { _ in dice.fraction() * 40 }
            let total = Int64(table.reduce(0, +).rounded())
            let whole = Self.table.rounded(table, total: total)
            #expect(whole.reduce(0, +) == total && whole.allSatisfy { $0 >= 0 })
            #expect(zip(whole, table).allSatisfy { abs(Double($0) - $1) <= 2 })
            for grouping in Self.table.groupings {
                var off = Array(repeating: 0.0, count: grouping.cells)
                for cell in whole.indices { off[Int(grouping.places[cell])] += Double(whole[cell]) - table[cell] }
                #expect(off.allSatisfy { abs($0) <= 3 })
            }
        }
    }

    @Test("sums beyond 2^53, which floating point has no units of, are met by their largest number")
    func largeSums() {
        let table = ConsistentTable(cells: 3, groupings: [.init(cells: 3, places: [0, 1, 2])])
        let whole = table.rounded([1, 0x1p60, 2], total: 1 << 60 + 1003)
        #expect(whole == [1, 1 << 60 + 1000, 2])
    }
}
