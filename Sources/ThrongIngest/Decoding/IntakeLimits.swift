/// The limits on a request's size. Beyond a limit the whole batch is refused and counts nothing.
///
/// No setting changes them: every sender can rely on the same protocol. Tests make smaller ones.
package struct IntakeLimits: Sendable, Hashable {
    /// The size of the body after decompression. Unit: bytes.
    package var bodyBytes: Int
    package var eventsPerBatch: Int
    /// The size of any one string of the body. Unit: bytes.
    package var stringBytes: Int
    /// The nesting of the JSON document. Unit: levels.
    package var depth: Int
    /// The largest `count` of one event. Unit: occurrences.
    package var countPerEvent: Int

    /// The largest age of an event's `at`. Unit: seconds.
    package static let oldestEvent: Int64 = 48 * 3600
    /// The most by which an event's `at` may lie ahead. Unit: seconds.
    package static let newestEvent: Int64 = 5 * 60
    /// The longest identifier. Unit: Unicode scalars.
    package static let identifierCharacters = 64

    /// The most distinct values in one field of user agents of a batch, which comes from one device; names of buckets are not counted.
    package static let userAgentsPerBatch = 4
    /// The most refusals that a batch's answer explains.
    package static let detailsPerBatch = 8

    package init(
        bodyBytes: Int = 1 << 20, eventsPerBatch: Int = 1000, stringBytes: Int = 2048, depth: Int = 8,
        countPerEvent: Int = 1_000_000
    ) {
        (self.bodyBytes, self.eventsPerBatch, self.stringBytes) = (bodyBytes, eventsPerBatch, stringBytes)
        (self.depth, self.countPerEvent) = (depth, countPerEvent)
    }
}
