/// A change of a table, leaf by leaf, by whole numbers.
struct TableChange: Sendable, Hashable {
    /// The leaves that move.
    var steps: [Step]

    /// One leaf's move.
    struct Step: Sendable, Hashable {
        var leaf: UInt32
        var amount: Int64
    }
}
