/// One non-zero coefficient of a sparse vector over leaves.
struct Term: Hashable, Sendable {
    var leaf: UInt32
    /// Modulo 2^61 − 1; never 0 where it is stored.
    var coefficient: UInt64
}
