internal import ThrongWire

/// A coarsened event that waits: nothing else of an event is ever kept.
struct QueuedEvent: Codable, Sendable, Hashable {
    let event: String
    /// Labels and clipped numbers.
    var fields: [String: Batch.Scalar]
    /// The hour, day, week or month in which it happened.
    let start: UnixSeconds
    /// The first second after that.
    let end: UnixSeconds
    /// The metrics that it is to be counted by; others have had all that the device may add.
    let metrics: [String]
    /// The number of times it happened.
    var count: Int

    /// A clock may be ahead by as much before the daemon takes its events for future ones. Unit: seconds.
    private static let slack: Int64 = 12 * 3600

    /// An instant of that stretch that is not ahead of now: it tells no more than the stretch does.
    func instant(now: UnixSeconds) -> UnixSeconds { max(start, min(end - 1, now - Self.slack)) }

    /// Returns the time since that stretch was over. Unit: seconds.
    func age(now: UnixSeconds) -> Int64 { max(0, now - (end - 1)) }

    /// The same event, if clocks were so many seconds off when it was recorded.
    func moved(by seconds: Int64, in calendar: PeriodCalendar, now: UnixSeconds) -> QueuedEvent {
        let kinds = PeriodKind.allCases.map { calendar.period($0, containing: start) }
        guard let kind = kinds.first(where: { $0.end == end })?.kind else { return self }
        // The middle of a week may be moved into the next one, which has not begun.
        let middle = min(start + (end - start) / 2 + seconds, now)
        let period = calendar.period(kind, containing: min(max(middle, .epoch), ClockCorrection.latest))
        return QueuedEvent(
            event: event, fields: fields, start: period.start, end: period.end, metrics: metrics, count: count)
    }

    /// Says whether the two are one event that happened several times.
    func isSame(as other: QueuedEvent) -> Bool {
        event == other.event && start == other.start && end == other.end && fields == other.fields
            && metrics == other.metrics
    }
}

/// A record that came while no plan could say what becomes of it: in memory only, since its values are raw.
struct HeldRecord: Sendable {
    let record: Inbox.Record
    /// The permissions of that moment, less what was refused since.
    var permissions: Permissions
    let context: [String: EventValue]
}
