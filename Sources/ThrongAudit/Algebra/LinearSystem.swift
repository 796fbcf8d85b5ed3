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
