package import ThrongPlan
package import ThrongWire

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
