import Foundation

/// Finds the hour, day, week or month of an app that holds an instant.
///
/// Days begin at local midnight, weeks on Monday (ISO 8601), months on the first. A local midnight that a change of
/// the clock skips is the first instant that exists.
public struct PeriodCalendar: Sendable, Hashable {
    /// A name from the IANA time zone database.
    public let timeZoneName: String
    private let timeZone: TimeZone

    /// Creates the calendar of a time zone; nil if this machine's time zone database has no such name.
    public init?(timeZone name: String) {
        guard let timeZone = TimeZone(identifier: name) else { return nil }
        timeZoneName = name
        self.timeZone = timeZone
    }

    /// The calendar of UTC.
    public static let utc = PeriodCalendar(name: "UTC", timeZone: .gmt)

    private init(name: String, timeZone: TimeZone) {
        timeZoneName = name
        self.timeZone = timeZone
    }

    /// The period of that kind which holds an instant.
    public func period(_ kind: PeriodKind, containing time: UnixSeconds) -> Period {
        if kind == .hour {
            // Hours follow UTC so that a day of 23 or 25 hours needs no rule; zones off by half an hour shift theirs.
            let shift = offset(at: time) - offset(at: time).flooredQuotient(by: 3600) * 3600
            let start = UnixSeconds((time + shift).flooredQuotient(by: 3600) * 3600 - shift)
            return Period(kind: .hour, start: start, end: start + 3600)
        }
        let today = date(at: time)
        let first: CalendarDate
        let next: CalendarDate
        switch kind {
        case .hour, .day:
            first = today
            next = today.adding(days: 1)
        case .week:
            first = today.adding(days: -Int64(today.weekday))
            next = first.adding(days: 7)
        case .month:
            first = today.adding(days: 1 - Int64(today.day))
            let inNextMonth = first.adding(days: 31)
            next = inNextMonth.adding(days: 1 - Int64(inNextMonth.day))
        }
        return Period(kind: kind, start: midnight(of: first), end: midnight(of: next))
    }

    /// The local date of an instant.
    public func date(at time: UnixSeconds) -> CalendarDate {
        CalendarDate(daysSince1970: (time + offset(at: time)).flooredQuotient(by: 86_400))
    }

    /// Seconds since local midnight by the wall clock, 0 to 86,399.
    public func secondOfDay(at time: UnixSeconds) -> Int64 {
        let local = (time + offset(at: time)).value
        return local - local.flooredQuotient(by: 86_400) * 86_400
    }

    /// The first instant of a local date.
    public func midnight(of date: CalendarDate) -> UnixSeconds {
        let local = UnixSeconds(date.daysSince1970 * 86_400)
        let before = local - offset(at: local - 86_400)
        let after = local - offset(at: local + 86_400)
        if before == after { return before }
        // The clock changes within a day of this midnight: take the earliest instant whose date is this one.
        let candidates = [Swift.min(before, after), Swift.max(before, after)]
        for candidate in candidates where self.date(at: candidate) == date && self.date(at: candidate - 1) < date {
            return candidate
        }
        var low = candidates[0] - 7200
        var high = candidates[1] + 7200
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if self.date(at: middle) < date { low = middle } else { high = middle }
        }
        return high
    }

    /// Local time minus UTC at an instant. Unit: seconds.
    public func offset(at time: UnixSeconds) -> Int64 {
        Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.value))))
    }

    /// The offset of an instant's local time, `+02:00`, where the wall clock shows that time twice; empty elsewhere.
    public func repetition(at time: UnixSeconds) -> String {
        let here = offset(at: time)
        let isRepeated = [time - 86_400, time + 86_400].map(offset).contains { other in
            other != here && offset(at: time + here - other) == other
        }
        guard isRepeated else { return "" }
        return (here < 0 ? "-" : "+") + Self.clock(minutes: Swift.abs(here) / 60)
    }

    /// "02:00".
    private static func clock(minutes: Int64) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// A period as people write it: `2026-11-21T10:00`, `2026-11-21`, `2026-W47`, `2026-11`.
    ///
    /// An hour that the wall clock shows twice has its offset behind it: `2026-10-25T02:00+02:00`, then `2026-10-25T02:00+01:00`.
    public func label(of period: Period) -> String {
        let first = date(at: period.start)
        switch period.kind {
        case .hour:
            return "\(first)T\(Self.clock(minutes: secondOfDay(at: period.start) / 60))\(repetition(at: period.start))"
        case .day: return first.description
        case .week:
            let (year, week) = first.isoWeek
            return "\(year)-W\(week < 10 ? "0" : "")\(week)"
        case .month: return String(first.description.dropLast(3))
        }
    }

    /// Reads what ``label(of:)`` writes; nil for anything else.
    public func period(labelled text: String) -> Period? {
        func found(_ kind: PeriodKind, _ time: UnixSeconds) -> Period? {
            let period = period(kind, containing: time)
            return label(of: period) == text ? period : nil
        }
        if let date = CalendarDate(text) { return found(.day, midnight(of: date)) }
        if let date = CalendarDate(text + "-01") { return found(.month, midnight(of: date)) }
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        if halves.count == 2, let date = CalendarDate(halves[0]) {
            func seconds(_ text: Substring) -> Int64? {
                let clock = text.split(separator: ":", omittingEmptySubsequences: false)
                guard clock.count == 2, clock.allSatisfy({ $0.utf8.count == 2 }), let hour = UInt8(clock[0]),
                    let minute = UInt8(clock[1])
                else { return nil }
                return Int64(hour) * 3600 + Int64(minute) * 60
            }
            let sign = halves[1].firstIndex { $0 == "+" || $0 == "-" } ?? halves[1].endIndex
            guard let clock = seconds(halves[1][..<sign]) else { return nil }
            let guess = UnixSeconds(date.daysSince1970 * 86_400 + clock)
            guard sign != halves[1].endIndex else { return found(.hour, guess - offset(at: guess - offset(at: guess))) }
            guard let east = seconds(halves[1][sign...].dropFirst()) else { return nil }
            return found(.hour, guess - (halves[1][sign] == "-" ? -east : east))
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, let year = Int(parts[0]), parts[1].first == "W", let week = Int64(parts[1].dropFirst()),
            let fourth = CalendarDate(year: year, month: 1, day: 4)
        {
            let monday = fourth.adding(days: -Int64(fourth.weekday) + 7 * (week - 1))
            return found(.week, midnight(of: monday))
        }
        return nil
    }
}

extension CalendarDate {
    /// The ISO 8601 week that holds this day, and the year that the week belongs to.
    public var isoWeek: (year: Int, week: Int) {
        let thursday = adding(days: 3 - Int64(weekday))
        let dayOfYear = thursday.daysSince1970 - thursday.firstOfYear.daysSince1970
        return (thursday.year, Int(dayOfYear / 7) + 1)
    }
}
