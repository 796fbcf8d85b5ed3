/// The two largest of a crowd's contributions to one sum of one cell; 0 where there is none.
struct TwoLargest: Hashable, Sendable {
    private(set) var largest: Int64 = 0
    private(set) var second: Int64 = 0

    /// Learns that one contribution has grown, or come from nothing; returns whether the pair changed.
    ///
    /// Whose it is need not be known. Contributions are not negative, so one that was equal to a member of the pair may
    /// take that member's place: if it belonged to somebody else, an equal one remains below.
    mutating func replace(_ old: Int64, with new: Int64) -> Bool {
        let before = self
        if old == largest {
            largest = new
        } else if old == second || new > second {
            (largest, second) = (max(largest, new), min(largest, new))
        }
        return self != before
    }
}
