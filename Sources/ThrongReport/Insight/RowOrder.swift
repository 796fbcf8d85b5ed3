internal import ThrongPlan

/// The order of an answer's rows by size: noise decides the order of numbers that lie close.
struct RowOrder {
    /// One a row; nil where none is published.
    let quantities: [Quantity?]
    /// The compared numbers with their noise, where all rows count the same: the distance of two is exact. Nil
    /// elsewhere.
    let numbers: [DrawnNumber?]
    /// The interval of a row that is computed; the intervals of two rows are combined.
    let interval: (Quantity) -> Interval?

    /// Returns the lead of one row over another, in standard deviations; 0 where that can't be told, and less than 0
    /// where it is behind.
    func lead(of row: Int, over other: Int) -> Double {
        guard let mine = quantities[row], let its = quantities[other] else { return 0 }
        if let own = numbers[row], let theirs = numbers[other], let gap = Self.gap(mine, its) {
            let variance = own.variance + theirs.variance - 2 * own.covariance(with: theirs)
            return variance > 0 ? gap / variance.squareRoot() : gap == 0 ? 0 : gap * .infinity
        }
        guard let above = interval(mine), let below = interval(its) else { return 0 }
        let gap = mine.approximate - its.approximate
        let apart = Interval.difference((mine.approximate, above), (its.approximate, below), places: 9).ends
        let side = gap > 0 ? gap - apart.low : apart.high - gap
        return side > 0 && side.isFinite ? gap / side * Interval.z : 0
    }

    /// Returns the lead of the largest row over each row, in standard deviations; nil for itself and where no number is
    /// published.
    func leads(of largest: Int) -> [Double?] {
        quantities.indices.map { row in row == largest || quantities[row] == nil ? nil : lead(of: largest, over: row) }
    }

    /// Returns the lead of one row over some others together, in standard deviations; 0 where that can't be told.
    ///
    /// However their noise hangs together, its standard deviation is at most the sum of theirs.
    func lead(of row: Int, overSumOf others: [Int], drawnAs sum: Int64) -> Double {
        guard let own = numbers[row], let mine = quantities[row], let largest = mine.amount ?? mine.fraction?.numerator
        else { return 0 }
        let spread = ([own] + others.compactMap { numbers[$0] }).reduce(0) { $0 + $1.variance.squareRoot() }
        return Double(largest - sum) / max(spread, 1e-9)
    }

    /// Returns the difference between two numbers, or between two shares of one whole; nil for others.
    private static func gap(_ one: Quantity, _ other: Quantity) -> Double? {
        if let mine = one.amount, let its = other.amount { return Double(mine) - Double(its) }
        guard let mine = one.fraction, let its = other.fraction, mine.denominator == its.denominator else { return nil }
        return Double(mine.numerator) - Double(its.numerator)
    }
}
