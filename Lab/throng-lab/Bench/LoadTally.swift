package import Histogram

/// The results of a load.
package struct LoadTally: Sendable {
    /// Requests that were due within the measured part of the run: each is answered or ``unanswered``.
    package internal(set) var requests = 0
    /// Answers within the measured part of the run, by status.
    package internal(set) var statuses: [Int: Int] = [:]
    /// Requests that got no answer: their connection broke, or patience ended before they did or before they were sent.
    package internal(set) var unanswered = 0
    /// Events that the daemon accepted, and those that it was sent in batches that it took.
    package internal(set) var acceptedEvents = 0
    /// See ``acceptedEvents``.
    package internal(set) var sentEvents = 0
    /// Answers that came before the measured part of the run was over: what the rate is made of.
    package internal(set) var inTime = 0
    /// The time from when a request was due to the end of its answer. Unit: nanoseconds.
    package internal(set) var latency = Self.histogram()
    /// The time from when a request was due to when it was written, where a connection was free for it: the generator's
    /// own delay. Unit: nanoseconds.
    package internal(set) var lateness = Self.histogram()
    /// Requests that had to wait for a connection because the server still held all of them.
    package internal(set) var waited = 0
    /// The measured part of the run. Unit: seconds.
    package internal(set) var seconds = 0.0

    /// Answers of 202 a second.
    package var rate: Double { seconds > 0 ? Double(inTime) / seconds : 0 }
    /// Requests that were not answered with 202.
    package var failed: Int { unanswered + statuses.filter { $0.key != 202 }.values.reduce(0, +) }
    /// Events of answered batches that changed no counter.
    package var refusedEvents: Int { sentEvents - acceptedEvents }

    /// Three significant digits from a microsecond to ten minutes.
    private static func histogram() -> Histogram<UInt64> {
        Histogram(lowestDiscernibleValue: 1000, highestTrackableValue: 600_000_000_000)
    }

    mutating func add(_ other: LoadTally) {
        requests += other.requests
        statuses.merge(other.statuses, uniquingKeysWith: +)
        unanswered += other.unanswered
        acceptedEvents += other.acceptedEvents
        sentEvents += other.sentEvents
        inTime += other.inTime
        latency.add(other.latency)
        lateness.add(other.lateness)
        waited += other.waited
        seconds = max(seconds, other.seconds)
    }

    static func record(_ nanoseconds: Int64, in histogram: inout Histogram<UInt64>) {
        histogram.record(min(UInt64(clamping: nanoseconds), histogram.highestTrackableValue))
    }
}
