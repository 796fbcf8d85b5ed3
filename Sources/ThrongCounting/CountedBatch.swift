package import ThrongPlan
package import ThrongWire

/// What counting a batch changed: the journal's record of it, enough to do it again.
package struct CountedBatch: Sendable {
    /// Its place in the journal.
    package let position: JournalPosition
    /// Its window.
    package let window: WindowID
    /// Its random name.
    package let batch: BatchID
    /// Who sent it, under the window's key; ``KeyedIdentifier/nobody`` where the purpose has no identifiers.
    package let identifier: KeyedIdentifier
    /// Whether the identifier is proved, by this batch or an earlier one.
    package let isProved: Bool
    /// What the client is told.
    package let answer: BatchAnswer
    /// What was added to leaf cells, event by event.
    package let additions: [Addition]
    /// The tracked cells in which the identifier was new.
    package let appearances: [Appearance]
    /// How far the identifier came in metrics that count identifiers, at most one a metric.
    package let advances: [Advance]

    /// What one event added to one metric, within its contribution bound.
    package struct Addition: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// The leaf cell.
        package let cell: CellIndex
        /// First second of the period.
        package let periodStart: UnixSeconds
        /// Unit: events.
        package internal(set) var count: Int64
        /// One a sum of the metric.
        package internal(set) var sums: [Int64]
        /// The firsts that the identifier said for the first time in its window; each adds 1 to its counter.
        package internal(set) var firsts: FirstSet
        /// Whether the events' own period was released before.
        package let isLate: Bool
        /// Whether the identifier was proved by then.
        package internal(set) var isProved: Bool

        /// Puts an addition together.
        package init(
            metric: Int, cell: CellIndex, periodStart: UnixSeconds, count: Int64, sums: [Int64],
            firsts: FirstSet = .none,
            isLate: Bool = false,
            isProved: Bool = false
        ) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.count = count
            self.sums = sums
            self.firsts = firsts
            self.isLate = isLate
            self.isProved = isProved
        }
    }

    /// The identifier was new in a tracked cell and period.
    package struct Appearance: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// Place of the margin among the layout's tracked margins.
        package let margin: Int
        /// The cell of that margin.
        package let cell: CellIndex
        /// First second of the period.
        package let periodStart: UnixSeconds

        /// Puts an appearance together.
        package init(metric: Int, margin: Int, cell: CellIndex, periodStart: UnixSeconds) {
            self.metric = metric
            self.margin = margin
            self.cell = cell
            self.periodStart = periodStart
        }
    }

    /// How far a batch took its identifier in a metric that counts identifiers.
    package struct Advance: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// Of the identifier's first event that counts: the leaf cell in the first bucket of what the daemon makes.
        package let cell: CellIndex
        /// Of the same event: first second of the period.
        package let periodStart: UnixSeconds
        /// By how much. Unit: that of the metric's `WindowLayout`.
        package let progress: UInt16

        /// Puts an advance together.
        package init(metric: Int, cell: CellIndex, periodStart: UnixSeconds, progress: UInt16) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.progress = progress
        }
    }

    /// Puts a record together.
    package init(
        position: JournalPosition,
        window: WindowID,
        batch: BatchID,
        identifier: KeyedIdentifier,
        answer: BatchAnswer,
        additions: [Addition],
        appearances: [Appearance],
        advances: [Advance] = [],
        isProved: Bool = false
    ) {
        self.position = position
        self.window = window
        self.batch = batch
        self.identifier = identifier
        self.answer = answer
        self.additions = additions
        self.appearances = appearances
        self.advances = advances
        self.isProved = isProved
    }
}
