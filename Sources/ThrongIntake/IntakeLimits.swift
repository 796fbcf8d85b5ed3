/// The limits on a request's size. Beyond a limit the whole batch is refused and counts nothing.
package struct IntakeLimits: Sendable, Hashable {
    /// `intake.body-bytes` (int, 1 MiB, bytes): the body after decompression.
    package var bodyBytes: Int
    /// `intake.events-per-batch` (int, 1000, events).
    package var eventsPerBatch: Int
    /// `intake.string-bytes` (int, 2048, bytes): any one string of the body.
    package var stringBytes: Int
    /// `intake.depth` (int, 8, levels): nesting of the JSON document.
    package var depth: Int
    /// `intake.count-per-event` (int, 1,000,000, occurrences): the largest `count` of one event.
    package var countPerEvent: Int

    /// The largest age of an event's `at`. Unit: seconds.
    package static let oldestEvent: Int64 = 48 * 3600
    /// The most by which an event's `at` may lie ahead. Unit: seconds.
    package static let newestEvent: Int64 = 5 * 60
    /// The longest identifier. Unit: Unicode scalars.
    package static let identifierCharacters = 64

    /// The most distinct values in one field of user agents of a batch, which comes from one device; names of buckets
    /// are not counted.
    package static let userAgentsPerBatch = 4
    /// The most refusals that a batch's answer explains.
    package static let detailsPerBatch = 8

    /// The documented defaults.
    package init(
        bodyBytes: Int = 1 << 20,
        eventsPerBatch: Int = 1000,
        stringBytes: Int = 2048,
        depth: Int = 8,
        countPerEvent: Int = 1_000_000
    ) {
        self.bodyBytes = bodyBytes
        self.eventsPerBatch = eventsPerBatch
        self.stringBytes = stringBytes
        self.depth = depth
        self.countPerEvent = countPerEvent
    }
}
