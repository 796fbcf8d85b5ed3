package import ThrongPlan
package import ThrongWire

/// The changes that counting a batch made: the journal's record of it, enough to make them again.
///
/// A class, because it goes to the journal and to whoever answers while all counting waits.
package final class CountedBatch: Sendable {
    package let position: JournalPosition
    package let window: WindowID
    package let batch: BatchID
    /// The sender's identifier under the window's key; ``KeyedIdentifier/nobody`` if the purpose has no identifiers.
    package let identifier: KeyedIdentifier
    /// True if the identifier is proved, by this batch or an earlier one.
    package let isProved: Bool
    package let answer: BatchAnswer
    /// The additions to leaf cells, event by event.
    package let additions: [Addition]
    /// The tracked cells in which the identifier was new.
    package let appearances: [Appearance]
    /// The identifier's progress in metrics that count identifiers, at most one entry per metric.
    package let advances: [Advance]

    /// The addition of one event to one metric, within its contribution bound.
    package struct Addition: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// The leaf cell.
        package let cell: CellIndex
        package let periodStart: UnixSeconds
        /// Unit: events.
        package internal(set) var count: Int64
        /// The sums' additions, one per sum of the metric.
        package internal(set) var sums: [Int64]
        /// The firsts that the identifier claimed for the first time in its window; each adds 1 to its counter.
        package internal(set) var firsts: FirstSet
        /// True if the events' own period was released before.
        package let isLate: Bool
        /// True if the identifier was proved by then.
        package internal(set) var isProved: Bool

        package init(
            metric: Int, cell: CellIndex, periodStart: UnixSeconds, count: Int64, sums: [Int64],
            firsts: FirstSet = .none, isLate: Bool = false, isProved: Bool = false
        ) {
            (self.metric, self.cell, self.periodStart, self.count, self.sums) = (metric, cell, periodStart, count, sums)
            (self.firsts, self.isLate, self.isProved) = (firsts, isLate, isProved)
        }
    }

    /// The identifier was new in a tracked cell and period.
    package struct Appearance: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// Place of the margin among the layout's tracked margins.
        package let margin: Int
        package let cell: CellIndex
        package let periodStart: UnixSeconds

        package init(metric: Int, margin: Int, cell: CellIndex, periodStart: UnixSeconds) {
            (self.metric, self.margin, self.cell, self.periodStart) = (metric, margin, cell, periodStart)
        }
    }

    /// The progress of an identifier in a metric that counts identifiers, by one batch.
    package struct Advance: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// The leaf cell of the identifier's first event that counts, in the first bucket of what the daemon makes.
        package let cell: CellIndex
        /// The first second of that event's period.
        package let periodStart: UnixSeconds
        /// The increase. Unit: that of the metric's `WindowLayout`.
        package let progress: UInt16

        package init(metric: Int, cell: CellIndex, periodStart: UnixSeconds, progress: UInt16) {
            (self.metric, self.cell, self.periodStart, self.progress) = (metric, cell, periodStart, progress)
        }
    }

    package init(
        position: JournalPosition, window: WindowID, batch: BatchID, identifier: KeyedIdentifier, answer: BatchAnswer,
        additions: [Addition], appearances: [Appearance], advances: [Advance] = [], isProved: Bool = false
    ) {
        (self.position, self.window, self.batch, self.identifier) = (position, window, batch, identifier)
        (self.answer, self.additions, self.appearances) = (answer, additions, appearances)
        (self.advances, self.isProved) = (advances, isProved)
    }
}
