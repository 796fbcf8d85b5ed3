/// What the attacker knows: bounds on sparse combinations of unknown whole numbers.
struct LinearSystem {
    /// Unknowns are numbered from 0.
    var unknowns = 0
    /// The facts.
    var rows: [Row] = []
    /// Unknowns that may be negative; all others are at least 0.
    var signed: Set<Int32> = []

    /// A fact: lower ≤ Σ coefficient · unknown ≤ upper.
    struct Row {
        /// Each unknown at most once, no coefficient 0.
        var terms: [Term]
        var lower: Int64?
        var upper: Int64?
        var origin: Origin

        /// Its value, where it is an equation.
        var value: Int64? { lower == upper ? lower : nil }
    }

    /// A coefficient and its unknown.
    struct Term: Hashable {
        let unknown: Int32
        let coefficient: Int64
    }

    /// Where a fact comes from.
    enum Origin {
        /// A published number, by its place in the input.
        case statement(Int)
        /// A rule of the plan.
        case rule(String)
        /// Zeros were published, so this withheld cell is not one. Dropped where nothing fits it.
        case guess(String)
    }
}

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
