package import ThrongPlan
package import ThrongWire

/// A batch after bucketing: cells and amounts, no raw field left.
///
/// Events and contributions lie in flat arrays, so that a batch costs a handful of allocations, not one an event.
package struct BucketedBatch: Sendable {
    /// The batch's random name.
    package let id: BatchID
    /// Its window.
    package var window: WindowID
    /// Its events in order.
    package let events: [Event]
    /// What the events add. Events that add the same share a run of them.
    package let contributions: [Contribution]
    /// By contribution, how many events it is part of.
    package let repeats: [Int32]
    /// The amounts that contributions refer to.
    package let amounts: [Int64]
    /// What events are to metrics that count identifiers, in the events' order.
    package let marks: [Mark]

    /// One event: either refused at bucketing, or a run of contributions.
    package struct Event: Sendable {
        /// Why it was refused before counting.
        package let refusal: RefusalReason?
        /// Its contributions: places in ``BucketedBatch/contributions``.
        package let contributions: Range<Int32>

        /// Puts an event together.
        package init(refusal: RefusalReason?, contributions: Range<Int32>) {
            self.refusal = refusal
            self.contributions = contributions
        }
    }

    /// What one event adds to one metric.
    package struct Contribution: Sendable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int32
        /// The leaf cell.
        package let cell: CellIndex
        /// First second of the period.
        package let periodStart: UnixSeconds
        /// How often the event happened: at least 1.
        package let count: UInt32
        /// Place of the first of the metric's sums in ``BucketedBatch/amounts``; per single occurrence.
        package let firstAmount: Int32
        /// Which of the metric's firsts the event says it is; each adds 1, whatever ``count`` is.
        package let firsts: FirstSet

        /// Puts a contribution together.
        package init(
            metric: Int32, cell: CellIndex, periodStart: UnixSeconds, count: UInt32, firstAmount: Int32,
            firsts: FirstSet = .none
        ) {
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.count = count
            self.firstAmount = firstAmount
            self.firsts = firsts
        }
    }

    /// What one event is to one metric that counts identifiers.
    package struct Mark: Sendable {
        /// The event's place in ``BucketedBatch/events``.
        package var event: Int32
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int32
        /// The leaf cell in the first bucket of what the daemon makes.
        package let cell: CellIndex
        /// First second of the period.
        package let periodStart: UnixSeconds
        /// Of a funnel, the steps that the event is: bit i is step i.
        package let steps: UInt16
        /// How often the event happened: at least 1.
        package let count: UInt32

        /// Puts a mark together.
        package init(
            event: Int32, metric: Int32, cell: CellIndex, periodStart: UnixSeconds, steps: UInt16, count: UInt32
        ) {
            self.event = event
            self.metric = metric
            self.cell = cell
            self.periodStart = periodStart
            self.steps = steps
            self.count = count
        }
    }

    /// Puts a batch together.
    ///
    /// - Parameter repeats: by contribution, how many events it is part of; nil counts them.
    package init(
        id: BatchID,
        window: WindowID,
        events: [Event],
        contributions: [Contribution],
        amounts: [Int64],
        repeats: [Int32]? = nil,
        marks: [Mark] = []
    ) {
        self.id = id
        self.window = window
        self.events = events
        self.contributions = contributions
        self.amounts = amounts
        self.marks = marks
        self.repeats = repeats ?? Self.repeats(of: contributions.count, in: events)
    }

    private static func repeats(of contributions: Int, in events: [Event]) -> [Int32] {
        var repeats = Array(repeating: Int32(0), count: contributions)
        for event in events { for place in event.contributions { repeats[Int(place)] += 1 } }
        return repeats
    }
}
