package import ThrongIngest

package struct FlushOutcome: Sendable, Hashable {
    /// The call that changed the counters: this one or an earlier one.
    package enum Application: Sendable, Hashable {
        case applied
        /// They had been added before; the answer to that call was lost.
        case alreadyApplied
    }

    /// The call that changed the counters: this one or an earlier one.
    package let application: Application
    /// The number of counters touched. Unit: rows.
    package let counters: Int
    /// The number of distinct counts touched. Unit: rows.
    package let distinctCounts: Int
    /// The number of deltas of released periods that went into the period open now.
    package let redirected: Int
    /// The number of deltas of distinct counts that were left out, because their period was released.
    package let droppedDistinct: Int
    /// The released periods that ended within the last 72 hours, of the layouts in use.
    package let closedPeriods: Set<ClosedPeriod>
}
