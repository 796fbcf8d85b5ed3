/// What each identifier of one window has added to the sums of tracked cells, and the two largest of each cell.
///
/// - Unit: 10^-decimals of a sum's unit; saturates at `Int64.max`.
/// - Cost: 24 to 48 bytes an identifier, tracked cell, period and sum; the same a cell, period and sum.
struct ContributionTotals: Sendable {
    /// Key: a hash of identifier, tracked cell, period and sum. A collision makes a contribution larger, never smaller.
    private var totals = FlatTable<Int64>(initial: 0)
    /// Key: sum slot in the upper half, period ordinal in the lower.
    private var pairs = FlatTable<TwoLargest>(initial: TwoLargest())
    private var periods = Ordinals<Int64>()

    /// How many contributions are known.
    var count: Int { totals.count }

    /// Adds an amount that is not negative; returns the cell's two largest where they changed or are the first.
    mutating func add(_ amount: Int64, by key: UInt64, toSum slot: UInt32, periodStart: Int64) -> TwoLargest? {
        let old = totals[key]
        let new = old.saturatingAdd(amount)
        totals[key] = new
        let place = UInt64(slot) << 32 | periods.ordinal(of: periodStart)
        let known = pairs.count
        let hasChanged = pairs[place].replace(old, with: new)
        return hasChanged || pairs.count > known ? pairs[place] : nil
    }
}
