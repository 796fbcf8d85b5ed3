package import ThrongCounting

/// What a flush did.
package struct FlushOutcome: Sendable, Hashable {
    /// Whether the counters changed now, or had already.
    package enum Application: Sendable, Hashable {
        /// The deltas were added by this call.
        case applied
        /// They had been added before; the answer to that call was lost.
        case alreadyApplied
    }

    /// Whether the counters changed now, or had already.
    package let application: Application
    /// Counters that were touched. Unit: rows.
    package let counters: Int
    /// Distinct counts that were touched. Unit: rows.
    package let distinctCounts: Int
    /// Pairs of largest contributions that were written. Unit: rows.
    package let topContributions: Int
    /// Deltas of released periods that went into the period open now.
    package let redirected: Int
    /// Deltas of distinct counts that were left out, because their period was released.
    package let droppedDistinct: Int
    /// Released periods that ended within the last 72 hours, of the layouts in use.
    package let closedPeriods: Set<ClosedPeriod>

    /// Puts an outcome together.
    package init(
        application: Application, counters: Int, distinctCounts: Int, topContributions: Int, redirected: Int,
        droppedDistinct: Int, closedPeriods: Set<ClosedPeriod>
    ) {
        self.application = application
        self.counters = counters
        self.distinctCounts = distinctCounts
        self.topContributions = topContributions
        self.redirected = redirected
        self.droppedDistinct = droppedDistinct
        self.closedPeriods = closedPeriods
    }
}
