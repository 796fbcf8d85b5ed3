/// The share of one component in some targets, with what is known of its range.
///
/// Components are independent, so ranges of parts add up to the range of a target.
struct Part {
    let component: Int
    /// By place in the component.
    let terms: [LinearSystem.Term]
    /// The least value in a table that was written down.
    var least: Int64?
    /// The largest value in a table that was written down.
    var most: Int64?
    /// Values in tables of fractions, as floating-point programs found them.
    var fractions: ClosedRange<Double>?
    /// No table goes above; nil is not known yet.
    var ceiling: Bound?
    /// No table goes below.
    var floor: Bound?
    /// What the owners still need: a table in which it is at least this.
    var wanted: Int64
    /// Whether a second value is enough, or the values have to lie p % apart.
    var isSum: Bool

    /// A proved bound.
    enum Bound {
        /// None.
        case unbounded
        /// A whole number, with the rows and duals behind it where there are any.
        case at(Int64, duals: [(row: Int, coefficient: Rational)]?, rows: [Int])
        /// Time ran out.
        case unknown
    }

    /// The value in a table.
    func value(in table: [Int64]) -> Int64? {
        var sum = Int128(0)
        for term in terms { sum += Int128(term.coefficient) * Int128(table[Int(term.unknown)]) }
        return Int64(exactly: sum)
    }
}

/// The values that everything published leaves possible.
struct Interval {
    let lower: Int64
    let upper: Int64

    /// Whether no hidden value in it has p % of room on both sides: lower / (1 − p) > upper / (1 + p).
    func isClose(percent: Int64) -> Bool {
        guard lower > 0 else { return false }
        return Int128(lower) * Int128(100 + percent) > Int128(upper) * Int128(100 - percent)
    }
}
