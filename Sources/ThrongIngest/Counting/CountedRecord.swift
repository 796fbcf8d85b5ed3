package import ThrongPlan

/// A record that the journal holds at one position.
package enum CountedRecord: Sendable {
    case batch(CountedBatch)
    case closing(WindowClosing)
    /// An identifier sent an opt-out signal: its progress is forgotten, and its counts stay.
    case withdrawal(Withdrawal)
    /// An identifier is to be removed from the counts; nothing that it sends is counted from here on.
    case removalRequest(Withdrawal)
    /// Such a removal was carried out.
    case removal(Removal)

    package var position: JournalPosition {
        switch self {
        case .batch(let batch): batch.position
        case .closing(let closing): closing.position
        case .withdrawal(let withdrawal), .removalRequest(let withdrawal): withdrawal.position
        case .removal(let removal): removal.position
        }
    }

    package var window: WindowID {
        switch self {
        case .batch(let batch): batch.window
        case .closing(let closing): closing.window
        case .withdrawal(let withdrawal), .removalRequest(let withdrawal): withdrawal.window
        case .removal(let removal): removal.window
        }
    }
}

/// The result of a window for metrics that count identifiers, made once, when the window is over. It is about nobody:
/// from here on, only the number of identifiers with each progress is known, and no identifier's own progress.
package struct WindowClosing: Sendable, Equatable {
    package let position: JournalPosition
    package let window: WindowID
    /// The number of identifiers in each place, at most one entry per metric, cell and period, in that order.
    ///
    /// Each identifier is in one of them, so these are the distinct identifiers of the window, too.
    package let additions: [Addition]
    /// True if the next position continues this closing: no record holds more than ``largest`` additions. The window is
    /// closed only by all of them together; parts without their end have no effect.
    package let hasMore: Bool

    /// The most additions that a record may hold.
    package static let largest = 1_000_000

    /// The identifiers counted in one leaf cell.
    package struct Addition: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// The leaf cell.
        package let cell: CellIndex
        package let periodStart: UnixSeconds
        /// Unit: identifiers.
        package let identifiers: UInt32

        package init(metric: Int, cell: CellIndex, periodStart: UnixSeconds, identifiers: UInt32) {
            (self.metric, self.cell, self.periodStart, self.identifiers) = (metric, cell, periodStart, identifiers)
        }
    }

    package init(position: JournalPosition, window: WindowID, additions: [Addition], hasMore: Bool = false) {
        (self.position, self.window, self.additions, self.hasMore) = (position, window, additions, hasMore)
    }
}

/// An identifier that withdraws from a window.
package struct Withdrawal: Sendable, Equatable {
    package let position: JournalPosition
    package let window: WindowID
    /// The sender's identifier under the window's key.
    package let identifier: KeyedIdentifier

    package init(position: JournalPosition, window: WindowID, identifier: KeyedIdentifier) {
        (self.position, self.window, self.identifier) = (position, window, identifier)
    }
}
