public import ThrongPlan
public import ThrongWire

/// A batch after bucketing: cells and amounts, no raw field left.
///
/// Events and contributions lie in flat arrays, so that a batch costs a handful of allocations, not one an event.
public struct BucketedBatch: Sendable {
    /// The batch's random name.
    public let id: BatchID
    /// Its window.
    public let window: WindowID
    /// Its events in order.
    public let events: [Event]
    /// What the events add. Events that add the same share a run of them.
    public let contributions: [Contribution]
    /// By contribution, how many events it is part of.
    public let repeats: [Int32]
    /// The amounts that contributions refer to.
    public let amounts: [Int64]
    /// What events are to metrics that count identifiers, in the events' order.
    public let marks: [Mark]

    /// One event: either refused at bucketing, or a run of contributions.
    public struct Event: Sendable {
        /// Why it was refused before counting.
        public let refusal: RefusalReason?
        /// Its contributions: places in ``BucketedBatch/contributions``.
        public let contributions: Range<Int32>

        /// Puts an event together.
        public init(refusal: RefusalReason?, contributions: Range<Int32>) {
            self.refusal = refusal
            self.contributions = contributions
        }
    }

    /// What one event adds to one metric.
    public struct Contribution: Sendable {
        /// The metric's ordinal in the ``CellSpace``.
        public let metric: Int32
        /// The leaf cell.
        public let cell: CellIndex
        /// First second of the period. Unit: Unix seconds.
        public let periodStart: Int64
        /// How often the event happened: at least 1.
        public let count: UInt32
        /// Place of the first of the metric's sums in ``BucketedBatch/amounts``; per single occurrence.
        public let firstAmount: Int32
        /// Which of the metric's firsts the event says it is; each adds 1, whatever ``count`` is.
        public let firsts: FirstSet

        /// Puts a contribution together.
        public init(
            metric: Int32, cell: CellIndex, periodStart: Int64, count: UInt32, firstAmount: Int32,
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
    public struct Mark: Sendable {
        /// The event's place in ``BucketedBatch/events``.
        public var event: Int32
        /// The metric's ordinal in the ``CellSpace``.
        public let metric: Int32
        /// The leaf cell in the first bucket of what the daemon makes.
        public let cell: CellIndex
        /// First second of the period. Unit: Unix seconds.
        public let periodStart: Int64
        /// Of a funnel, the steps that the event is: bit i is step i.
        public let steps: UInt16
        /// How often the event happened: at least 1.
        public let count: UInt32

        /// Puts a mark together.
        public init(
            event: Int32, metric: Int32, cell: CellIndex, periodStart: Int64, steps: UInt16, count: UInt32
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
    public init(
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
