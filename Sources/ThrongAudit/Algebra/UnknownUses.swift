/// In which rows each unknown stands.
struct UnknownUses {
    private let starts: [Int]
    private let uses: [Use]

    /// One place of an unknown.
    struct Use {
        let row: Int
        let coefficient: Int64
    }

    /// - Complexity: O(terms + unknowns).
    init(_ system: LinearSystem) { self.init(unknowns: system.unknowns, rows: system.rows.map(\.terms)) }

    init(unknowns: Int, rows: [[LinearSystem.Term]]) {
        var counts = Array(repeating: 0, count: unknowns + 1)
        for row in rows { for term in row { counts[Int(term.unknown) + 1] += 1 } }
        for place in 0..<unknowns { counts[place + 1] += counts[place] }
        starts = counts
        var next = counts
        var uses = Array(repeating: Use(row: 0, coefficient: 0), count: counts[unknowns])
        for (place, row) in rows.enumerated() {
            for term in row {
                uses[next[Int(term.unknown)]] = Use(row: place, coefficient: term.coefficient)
                next[Int(term.unknown)] += 1
            }
        }
        self.uses = uses
    }

    subscript(_ unknown: Int32) -> ArraySlice<Use> { uses[starts[Int(unknown)]..<starts[Int(unknown) + 1]] }
}
