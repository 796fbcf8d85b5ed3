internal import Foundation

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

/// The length of time that a counter covers.
public enum PeriodKind: String, Sendable, Hashable, CaseIterable, Codable, Comparable {
    case hour
    case day
    case week
    case month

    /// Orders by length.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// Its place among all kinds, from 0; the shortest is first.
    package var rank: Int {
        switch self {
        case .hour: 0
        case .day: 1
        case .week: 2
        case .month: 3
        }
    }
}

/// One hour, day, week or month of an app's calendar.
public struct Period: Sendable, Hashable, Comparable, Codable {
    /// The period's length.
    public let kind: PeriodKind
    /// The period's first second.
    public let start: UnixSeconds
    /// The first second after the period.
    public let end: UnixSeconds

    /// Creates a period with its kind and bounds, which ``PeriodCalendar`` finds.
    public init(kind: PeriodKind, start: UnixSeconds, end: UnixSeconds) {
        (self.kind, self.start, self.end) = (kind, start, end)
    }

    /// Orders by start, then by length.
    public static func < (left: Self, right: Self) -> Bool { (left.start, left.end) < (right.start, right.end) }
}

/// An instant: whole seconds since 1970-01-01T00:00:00Z, negative before. Leap seconds are not counted.
///
/// Arithmetic traps beyond `Int64`, as that of `Int64` does. In JSON, and where it is printed, it is its bare number.
public struct UnixSeconds: Hashable, Comparable, Sendable, CustomStringConvertible, Codable {
    /// The number that files, SQL and tables hold. Unit: seconds.
    public let value: Int64

    /// Wraps a number of seconds.
    @inlinable public init(_ value: Int64) { self.value = value }

    /// 1970-01-01T00:00:00Z.
    public static let epoch = UnixSeconds(0)
    /// The earliest instant.
    public static let min = UnixSeconds(.min)
    /// The latest instant.
    public static let max = UnixSeconds(.max)

    /// Orders by time.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    /// Compares the numbers; written out so that loops over events in other modules can inline it.
    @inlinable public static func == (left: Self, right: Self) -> Bool { left.value == right.value }

    /// The instant so many seconds later.
    @inlinable public static func + (time: Self, seconds: Int64) -> Self { Self(time.value + seconds) }

    /// The instant so many seconds earlier.
    @inlinable public static func - (time: Self, seconds: Int64) -> Self { Self(time.value - seconds) }

    /// Moves on by so many seconds.
    @inlinable public static func += (time: inout Self, seconds: Int64) { time = time + seconds }

    /// Returns the time from `earlier` to `later`; negative if `later` is the earlier of the two. Unit: seconds.
    @inlinable public static func - (later: Self, earlier: Self) -> Int64 { later.value - earlier.value }

    /// Returns the number of whole stretches of `seconds` from 1970 to the instant, rounded towards minus infinity.
    ///
    /// - Parameter seconds: the length of a stretch, above zero.
    package func flooredQuotient(by seconds: Int64) -> Int64 { value.flooredQuotient(by: seconds) }

    /// The number: `1795395600`.
    public var description: String { value.description }

    /// Reads the number.
    public init(from decoder: any Decoder) throws { self.init(try Int64(from: decoder)) }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

    /// The instant in HTTP's date format: "Sun, 06 Nov 1994 08:49:37 GMT".
    ///
    /// Source: RFC 9110, section 5.6.7.
    package var httpDate: String {
        let days = flooredQuotient(by: 86_400)
        let date = CalendarDate(daysSince1970: days)
        let second = value - days * 86_400
        func padded(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
        let year = date.description.prefix { $0 != "-" }
        return "\(Self.weekdays[date.weekday]), \(padded(date.day)) \(Self.months[date.month - 1]) \(year) \(clock) GMT"
    }

    /// Reads ``httpDate``; nil for anything else.
    package init?(httpDate header: String) {
        let parts = header.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
            let month = Self.months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            let date = CalendarDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = parts[4].split(separator: ":").map { Int64($0) ?? -1 }
        guard clock.count == 3, clock.allSatisfy({ (0..<61).contains($0) }) else { return nil }
        self.init(date.daysSince1970 * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// Tells the time of day; injected so that tests can choose it.
package struct UnixClock: Sendable {
    private let read: @Sendable () -> UnixSeconds

    /// A clock that asks the given closure.
    package init(_ read: @escaping @Sendable () -> UnixSeconds) { self.read = read }

    package static let system = UnixClock { UnixSeconds(Int64(time(nil))) }

    package var now: UnixSeconds { read() }
}

/// Instants as texts such as 2026-11-20T06:00:00Z.
package enum Instant {
    package static func text(_ time: UnixSeconds) -> String {
        Date(timeIntervalSince1970: Double(time.value)).formatted(.iso8601)
    }

    /// Nil for a text of any other shape.
    package static func time(_ text: String) -> UnixSeconds? {
        do {
            let time = UnixSeconds(Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970))
            return self.text(time) == text ? time : nil
        } catch { return nil }
    }

    package static func isReadable(_ text: String?) -> Bool { text.map { time($0) != nil } ?? true }
}

/// A day of the proleptic Gregorian calendar, without a time zone.
public struct CalendarDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The year, such as 2026.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// Checks a date; nil when there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        guard CalendarDate(daysSince1970: daysSince1970) == self else { return nil }
    }

    /// Reads "2026-11-21"; nil when it is not exactly that shape or no such day.
    public init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
            parts.allSatisfy({ $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    private init(uncheckedYear year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day that lies so many days after 1970-01-01.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    public init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            uncheckedYear: Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), month: Int(month),
            day: Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    /// Days since 1970-01-01; negative before.
    ///
    /// Source: the same paper, days_from_civil.
    public var daysSince1970: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// 0 is Monday, 6 is Sunday.
    public var weekday: Int { Int((daysSince1970 + 3) - (daysSince1970 + 3).flooredQuotient(by: 7) * 7) }

    /// The day so many days later, or earlier where negative.
    public func adding(days: Int64) -> CalendarDate { CalendarDate(daysSince1970: daysSince1970 + days) }

    /// The first of January of the same year.
    public var firstOfYear: CalendarDate { CalendarDate(uncheckedYear: year, month: 1, day: 1) }

    /// "2026-11-21".
    public var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity.
    package func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
