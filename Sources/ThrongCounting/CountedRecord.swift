public import ThrongPlan

/// What the journal keeps in one position.
public enum CountedRecord: Sendable {
    /// A batch came.
    case batch(CountedBatch)
    /// A window was over.
    case closing(WindowClosing)

    /// Its place in the journal.
    public var position: JournalPosition {
        switch self {
        case .batch(let batch): batch.position
        case .closing(let closing): closing.position
        }
    }

    /// Its window.
    public var window: WindowID {
        switch self {
        case .batch(let batch): batch.window
        case .closing(let closing): closing.window
        }
    }
}

/// What a window came to for metrics that count identifiers: made once, when it is over. It is about nobody: from here on
/// only how many identifiers came how far is known, and of none of them how far.
public struct WindowClosing: Sendable, Equatable {
    /// Its place in the journal.
    public let position: JournalPosition
    /// The window.
    public let window: WindowID
    /// How many identifiers count where, at most one a metric, cell and period, in that order.
    ///
    /// An identifier is in one of them, so these are the distinct identifiers of the window, too.
    public let additions: [Addition]

    /// Identifiers of one leaf cell.
    public struct Addition: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        public let metric: Int
        /// The leaf cell.
        public let cell: CellIndex
        /// First second of the period. Unit: Unix seconds.
        public let periodStart: Int64
        /// Unit: identifiers.
        public let identifiers: UInt32

        /// Puts an addition together.
        public init(metric: Int, cell: CellIndex, periodStart: Int64, identifiers: UInt32) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.identifiers = identifiers
        }
    }

    /// Puts a closing together.
    public init(position: JournalPosition, window: WindowID, additions: [Addition]) {
        self.position = position
        self.window = window
        self.additions = additions
    }
}
