package import ThrongPlan

/// What the journal keeps in one position.
package enum CountedRecord: Sendable {
    /// A batch came.
    case batch(CountedBatch)
    /// A window was over.
    case closing(WindowClosing)
    /// Somebody who had been counted wants not to be, from here on.
    case withdrawal(Withdrawal)
    /// Somebody who had been counted wants not to have been.
    case removalRequest(RemovalRequest)
    /// That was done.
    case removal(Removal)

    /// Its place in the journal.
    package var position: JournalPosition {
        switch self {
        case .batch(let batch): batch.position
        case .closing(let closing): closing.position
        case .withdrawal(let withdrawal): withdrawal.position
        case .removalRequest(let request): request.position
        case .removal(let removal): removal.position
        }
    }

    /// Its window.
    package var window: WindowID {
        switch self {
        case .batch(let batch): batch.window
        case .closing(let closing): closing.window
        case .withdrawal(let withdrawal): withdrawal.window
        case .removalRequest(let request): request.window
        case .removal(let removal): removal.window
        }
    }
}

/// What a window came to for metrics that count identifiers: made once, when it is over. It is about nobody: from here on
/// only how many identifiers came how far is known, and of none of them how far.
package struct WindowClosing: Sendable, Equatable {
    /// Its place in the journal.
    package let position: JournalPosition
    /// The window.
    package let window: WindowID
    /// How many identifiers count where, at most one a metric, cell and period, in that order.
    ///
    /// An identifier is in one of them, so these are the distinct identifiers of the window, too.
    package let additions: [Addition]
    /// Whether the next position goes on with this closing: no record holds more than ``largest`` additions. Only all of
    /// them together close the window; parts without their end say nothing.
    package let hasMore: Bool

    /// How many additions a record may hold.
    package static let largest = 1_000_000

    /// Identifiers of one leaf cell.
    package struct Addition: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// The leaf cell.
        package let cell: CellIndex
        /// First second of the period.
        package let periodStart: UnixSeconds
        /// Unit: identifiers.
        package let identifiers: UInt32

        /// Puts an addition together.
        package init(metric: Int, cell: CellIndex, periodStart: UnixSeconds, identifiers: UInt32) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.identifiers = identifiers
        }
    }

    /// Puts a closing together.
    package init(position: JournalPosition, window: WindowID, additions: [Addition], hasMore: Bool = false) {
        self.position = position
        self.window = window
        self.additions = additions
        self.hasMore = hasMore
    }
}

/// An identifier sent a batch with a signal that its purpose honours: how far it has come in its window's metrics that
/// count identifiers is forgotten.
package struct Withdrawal: Sendable, Equatable {
    /// Its place in the journal.
    package let position: JournalPosition
    /// The window.
    package let window: WindowID
    /// Who sent it, under the window's key.
    package let identifier: KeyedIdentifier

    /// Puts a withdrawal together.
    package init(position: JournalPosition, window: WindowID, identifier: KeyedIdentifier) {
        self.position = position
        self.window = window
        self.identifier = identifier
    }
}
