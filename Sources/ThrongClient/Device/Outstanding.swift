/// A batch that has no answer yet. The same bytes are sent until there is one, or the daemon would not know it again.
struct Outstanding: Codable, Sendable {
    let batch: String
    /// Its window: floor(unix time / rotation).
    let window: Int64
    let body: String
    let events: [QueuedEvent]
    /// By event, what it contributes to for the first time.
    let firsts: [[FirstsMemory.Contribution]]
    /// Its place in the log.
    let log: Int
    /// Unit: Unix seconds.
    let firstSent: Int64
    /// What was spent in the window before it.
    let spentBefore: Spending
    /// Whether it may have arrived. Written down before each attempt.
    var mayHaveArrived = false

    /// Events in it.
    var count: Int { events.reduce(0) { $0 + $1.count } }

    /// Whether the daemon would refuse it by its window: the window after the next one has begun.
    func isOver(at current: Int64) -> Bool { current >= window + 2 }
}
