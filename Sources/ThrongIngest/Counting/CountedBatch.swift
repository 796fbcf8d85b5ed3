package import ThrongPlan

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
        /// The leaf cell, in the rung of the bound that the events are within.
        package internal(set) var cell: CellIndex
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

/// A batch after bucketing: cells and amounts, no raw field left.
///
/// Events and contributions lie in flat arrays, so that a batch costs a handful of allocations, not one an event.
package struct BucketedBatch: Sendable {
    /// The batch's random name.
    package let id: BatchID
    package var window: WindowID
    /// The events, in the order of the batch.
    package let events: [Event]
    /// The additions of events to metrics. Events that add the same share a run of them.
    package let contributions: [Contribution]
    /// The number of events that each contribution is part of, by contribution.
    package let repeats: [Int32]
    package let amounts: [Int64]
    /// The marks of events for metrics that count identifiers, in the events' order.
    package let marks: [Mark]

    /// One event: either refused at bucketing, or a run of contributions.
    package struct Event: Sendable {
        /// The reason for a refusal before counting; nil if there is none.
        package let refusal: RefusalReason?
        /// The event's contributions: places in ``BucketedBatch/contributions``. Other events may have the same.
        package let contributions: Range<Int32>
        /// Further contributions, to metrics that read its own fields.
        package let own: Range<Int32>

        package init(refusal: RefusalReason?, contributions: Range<Int32>, own: Range<Int32> = 0..<0) {
            (self.refusal, self.contributions, self.own) = (refusal, contributions, own)
        }

        /// True if it adds to no metric that counts events.
        var isEmpty: Bool { contributions.isEmpty && own.isEmpty }
    }

    /// The addition of one event to one metric.
    package struct Contribution: Sendable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int32
        /// The leaf cell.
        package let cell: CellIndex
        package internal(set) var periodStart: UnixSeconds
        /// The number of times that the event happened: at least 1.
        package let count: UInt32
        /// The place of the first of the metric's sums in ``BucketedBatch/amounts``; amounts are per single occurrence.
        package let firstAmount: Int32
        /// The metric's firsts that the event claims to be; each adds 1, whatever ``count`` is.
        package internal(set) var firsts: FirstSet

        package init(
            metric: Int32, cell: CellIndex, periodStart: UnixSeconds, count: UInt32, firstAmount: Int32,
            firsts: FirstSet = .none
        ) {
            (self.metric, self.cell, self.periodStart, self.count) = (metric, cell, periodStart, count)
            (self.firstAmount, self.firsts) = (firstAmount, firsts)
        }
    }

    /// The mark that one event sets for its identifier in one metric that counts identifiers.
    package struct Mark: Sendable {
        /// The event's place in ``BucketedBatch/events``.
        package var event: Int32
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int32
        /// The leaf cell in the first bucket of what the daemon makes.
        package let cell: CellIndex
        package let periodStart: UnixSeconds
        /// The funnel steps that the event is: bit i is step i.
        package let steps: UInt16
        /// The number of times that the event happened: at least 1.
        package let count: UInt32

        package init(
            event: Int32, metric: Int32, cell: CellIndex, periodStart: UnixSeconds, steps: UInt16, count: UInt32
        ) {
            (self.event, self.metric, self.cell, self.periodStart) = (event, metric, cell, periodStart)
            (self.steps, self.count) = (steps, count)
        }
    }

    /// Creates a batch.
    ///
    /// - Parameter repeats: the number of events that each contribution is part of, by contribution; nil to count them
    ///   here.
    package init(
        id: BatchID, window: WindowID, events: [Event], contributions: [Contribution], amounts: [Int64],
        repeats: [Int32]? = nil, marks: [Mark] = []
    ) {
        (self.id, self.window, self.events, self.contributions) = (id, window, events, contributions)
        (self.amounts, self.marks) = (amounts, marks)
        self.repeats = repeats ?? Self.repeats(of: contributions.count, in: events)
    }

    private static func repeats(of contributions: Int, in events: [Event]) -> [Int32] {
        var repeats = Array(repeating: Int32(0), count: contributions)
        for event in events {
            for place in event.contributions { repeats[Int(place)] += 1 }
            for place in event.own { repeats[Int(place)] += 1 }
        }
        return repeats
    }

    /// Returns an event's contributions, in the order of metrics.
    package func contributions(of event: Event) -> ArraySlice<Contribution> {
        let shared = contributions[Int(event.contributions.lowerBound)..<Int(event.contributions.upperBound)]
        guard !event.own.isEmpty else { return shared }
        let own = contributions[Int(event.own.lowerBound)..<Int(event.own.upperBound)]
        return (shared + own).sorted { $0.metric < $1.metric }[...]
    }
}
