public import ThrongPlan
public import ThrongWire

/// What counting a batch changed: the journal's record of it, enough to do it again.
public struct CountedBatch: Sendable {
    /// Its place in the journal.
    public let position: JournalPosition
    /// Its window.
    public let window: WindowID
    /// Its random name.
    public let batch: BatchID
    /// Who sent it, under the window's key.
    public let identifier: KeyedIdentifier
    /// What the client is told.
    public let answer: BatchAnswer
    /// What was added to leaf cells, event by event.
    public let additions: [Addition]
    /// The tracked cells in which the identifier was new.
    public let appearances: [Appearance]
    /// How far the identifier came in metrics that count identifiers, at most one a metric.
    public let advances: [Advance]

    /// What one event added to one metric, within its contribution bound.
    public struct Addition: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        public let metric: Int
        /// The leaf cell.
        public let cell: CellIndex
        /// First second of the period. Unit: Unix seconds.
        public let periodStart: Int64
        /// Unit: events.
        public let count: Int64
        /// One a sum of the metric.
        public let sums: [Int64]
        /// The firsts that the identifier said for the first time in its window; each adds 1 to its counter.
        public internal(set) var firsts: FirstSet
        /// Whether the events' own period was released before.
        public let isLate: Bool

        /// Puts an addition together.
        public init(
            metric: Int, cell: CellIndex, periodStart: Int64, count: Int64, sums: [Int64], firsts: FirstSet = .none,
            isLate: Bool = false
        ) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.count = count
            self.sums = sums
            self.firsts = firsts
            self.isLate = isLate
        }
    }

    /// The identifier was new in a tracked cell and period.
    public struct Appearance: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        public let metric: Int
        /// Place of the margin among the layout's tracked margins.
        public let margin: Int
        /// The cell of that margin.
        public let cell: CellIndex
        /// First second of the period. Unit: Unix seconds.
        public let periodStart: Int64

        /// Puts an appearance together.
        public init(metric: Int, margin: Int, cell: CellIndex, periodStart: Int64) {
            self.metric = metric
            self.margin = margin
            self.cell = cell
            self.periodStart = periodStart
        }
    }

    /// How far a batch took its identifier in a metric that counts identifiers.
    public struct Advance: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        public let metric: Int
        /// Of the identifier's first event that counts: the leaf cell in the first bucket of what the daemon makes.
        public let cell: CellIndex
        /// Of the same event: first second of the period. Unit: Unix seconds.
        public let periodStart: Int64
        /// By how much. Unit: that of the metric's `WindowLayout`.
        public let progress: UInt16

        /// Puts an advance together.
        public init(metric: Int, cell: CellIndex, periodStart: Int64, progress: UInt16) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.progress = progress
        }
    }

    /// Puts a record together.
    public init(
        position: JournalPosition,
        window: WindowID,
        batch: BatchID,
        identifier: KeyedIdentifier,
        answer: BatchAnswer,
        additions: [Addition],
        appearances: [Appearance],
        advances: [Advance] = []
    ) {
        self.position = position
        self.window = window
        self.batch = batch
        self.identifier = identifier
        self.answer = answer
        self.additions = additions
        self.appearances = appearances
        self.advances = advances
    }
}
