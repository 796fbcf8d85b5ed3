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
