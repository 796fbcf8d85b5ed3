internal import ThrongWire

/// A coarsened event that waits: nothing else of an event is ever kept.
struct QueuedEvent: Codable, Sendable, Hashable {
    let event: String
    /// Labels and clipped numbers.
    let fields: [String: Batch.Scalar]
    /// The hour, day, week or month in which it happened. Unit: Unix seconds.
    let start: Int64
    /// The first second after that.
    let end: Int64
    /// The metrics that it is to be counted by; others have had all that the device may add.
    let metrics: [String]
    /// How often it happened.
    var count: Int

    /// The latest instant of that stretch that is not ahead of now: it tells no more than the stretch does.
    func instant(now: Int64) -> Int64 { max(start, min(end - 1, now)) }

    /// Whether the two are one event that happened several times.
    func isSame(as other: QueuedEvent) -> Bool {
        event == other.event && start == other.start && end == other.end && fields == other.fields
            && metrics == other.metrics
    }
}
