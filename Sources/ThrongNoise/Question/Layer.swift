/// One of the two independent draws that are added to each cell of a question's table.
package enum Layer: Hashable, Sendable {
    /// The same in all periods: a mean over many of them is left with it.
    case kept(KeptNoise)
    /// New in each period and for each counted table: a difference of two periods is left with it. A database that was restored
    /// and counts something else draws anew, because equal noise would give the exact difference away.
    case fresh(LayerVariance, period: String, counted: CountedDigest)
}
