/// A schedule of repeated runs: cron's five fields, read in the app's time zone.
///
/// The fields are minute, hour, day of month, month and day of week. Each is `*`, a number, a name (`jan`, `mon`), a
/// range, a list, or a step over `*` or a range. 0 and 7 are Sunday. If both kinds of day are restricted, either is
/// enough; a field that allows everything restricts nothing. Source: POSIX.1-2024, crontab.
package struct CronSchedule: Sendable, Hashable, CustomStringConvertible {
    package let text: String
    /// Bit i allows minute i.
    let minutes: UInt64
    /// Bit i allows hour i.
    let hours: UInt64
    /// Bit i allows day i of the month.
    let days: UInt64
    /// Bit i allows month i.
    let months: UInt64
    /// Bit i allows weekday i, Sunday being 0.
    let weekdays: UInt64

    static let everyDay: UInt64 = 0xFFFF_FFFE
    static let everyWeekday: UInt64 = 0x7F

    static let aliases: [(name: String, fields: String)] = [
        ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"),
    ]

    /// Reads "0 6 * * mon-fri" or "@daily".
    package init(_ text: String) throws(CronProblem) {
        var fields = text.split { $0 == " " || $0 == "\t" }
        if let first = fields.first, first.hasPrefix("@") {
            guard fields.count == 1, let alias = Self.aliases.first(where: { $0.name == first.lowercased() }) else {
                throw .unknownAlias(String(first))
            }
            fields = alias.fields.split(separator: " ")
        }
        guard fields.count == 5 else { throw .wrongFieldCount(found: fields.count) }
        minutes = try CronField.minute.set(fields[0])
        hours = try CronField.hour.set(fields[1])
        days = try CronField.dayOfMonth.set(fields[2])
        months = try CronField.month.set(fields[3])
        let written = try CronField.dayOfWeek.set(fields[4])
        weekdays = (written | written >> 7) & Self.everyWeekday
        self.text = text
        guard hasDays else { throw .neverHappens(text) }
    }

    /// True if an allowed month has an allowed day; February counts 29.
    private var hasDays: Bool {
        if weekdays != Self.everyWeekday { return true }
        let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...12).contains { month in
            months & 1 << UInt64(month) != 0 && days & ((2 << UInt64(lengths[month - 1])) - 2) != 0
        }
    }

    func includes(_ date: CalendarDate) -> Bool {
        guard months & 1 << UInt64(date.month) != 0 else { return false }
        let day = days & 1 << UInt64(date.day) != 0
        // Dates count weekdays from Monday, cron from Sunday.
        let weekday = weekdays & 1 << UInt64((date.weekday + 1) % 7) != 0
        let restrictsBoth = days != Self.everyDay && weekdays != Self.everyWeekday
        return restrictsBoth ? day || weekday : day && weekday
    }

    /// The first time after an instant, by the wall clock of a calendar.
    ///
    /// A time that the clock skips in spring is made up for at the first instant after the gap; an hour that the clock
    /// repeats in autumn counts once, the first time.
    ///
    /// - Returns: nil only for a schedule that does not happen within nine years.
    /// - Complexity: O(days until then).
    package func next(after time: UnixSeconds, in calendar: PeriodCalendar) -> UnixSeconds? {
        var date = calendar.date(at: time)
        // 29 February is at most eight years away: 2096 to 2104.
        let last = date.adding(days: 9 * 366)
        while date <= last {
            if includes(date), let found = first(on: date, after: time, in: calendar) { return found }
            date = date.adding(days: 1)
        }
        return nil
    }

    private func first(on date: CalendarDate, after time: UnixSeconds, in calendar: PeriodCalendar) -> UnixSeconds? {
        for hour in 0..<24 where hours & 1 << UInt64(hour) != 0 {
            for minute in 0..<60 where minutes & 1 << UInt64(minute) != 0 {
                let instant = calendar.instant(of: date, secondOfDay: Int64(hour * 3600 + minute * 60))
                if instant > time { return instant }
            }
        }
        return nil
    }

    package var description: String { text }
}

package enum CronProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case wrongFieldCount(found: Int)
    case unknownAlias(String)
    /// Part of a field that is neither a number, a name, a range nor a step.
    case unreadable(String, field: String, allowed: String)
    case outOfRange(String, field: String, allowed: String)
    case backwards(String, field: String)
    case malformedStep(String, field: String, allowed: String)
    case neverHappens(String)

    package var description: String {
        switch self {
        case .wrongFieldCount(let found):
            "found \(found) fields; five are allowed: "
                + "minute, hour, day of month, month, day of week, such as '0 6 * * *'"
        case .unknownAlias(let alias):
            "unknown alias '\(alias)'; \(CronSchedule.aliases.map(\.name).joined(separator: ", ")) are allowed"
        case .unreadable(let part, let field, let allowed):
            "the \(field) '\(part)' can't be read; *, \(allowed), ranges (1-5), lists (1,3) and steps (*/2) are allowed"
        case .outOfRange(let part, let field, let allowed):
            "the \(field) '\(part)' does not exist; \(allowed) are allowed"
        case .backwards(let part, let field):
            "the range of \(field)s '\(part)' runs backwards; write it as two ranges, such as 22-23,0-2"
        case .malformedStep(let part, let field, let allowed):
            "the step of \(field)s in '\(part)' can't be used; "
                + "a step follows * or a range and is \(allowed), such as */2"
        case .neverHappens(let text): "'\(text)' never happens: none of its months has such a day"
        }
    }
}

extension PeriodCalendar {
    /// The first instant at which the wall clock shows a time of a date, or the end of the gap that skips it.
    func instant(of date: CalendarDate, secondOfDay: Int64) -> UnixSeconds {
        let local = UnixSeconds(date.daysSince1970 * 86_400 + secondOfDay)
        let before = offset(at: local - 86_400)
        let after = offset(at: local + 86_400)
        // The greater offset is the earlier instant.
        let candidates = [local - Swift.max(before, after), local - Swift.min(before, after)]
        for candidate in candidates where candidate + offset(at: candidate) == local { return candidate }
        // Skipped: the offset changes between the candidates.
        var low = candidates[0]
        var high = candidates[1]
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if middle + offset(at: middle) < local { low = middle } else { high = middle }
        }
        return high
    }
}

/// One of the five fields of a schedule: its numbers, their names, and the reading of a text as a set.
struct CronField: Sendable {
    let name: String
    let range: ClosedRange<Int>
    var names: [String: Int] = [:]

    static let minute = CronField(name: "minute", range: 0...59)
    static let hour = CronField(name: "hour", range: 0...23)
    static let dayOfMonth = CronField(name: "day of month", range: 1...31)
    static let month = CronField(
        name: "month", range: 1...12,
        names: [
            "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10,
            "nov": 11, "dec": 12,
        ])
    /// 0 and 7 are Sunday.
    static let dayOfWeek = CronField(
        name: "day of week", range: 0...7,
        names: ["sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6])

    private var allowed: String {
        let numbers = "\(range.lowerBound) to \(range.upperBound)"
        guard let first = names.min(by: { $0.value < $1.value }), let last = names.max(by: { $0.value < $1.value })
        else { return numbers }
        return "\(numbers) or \(first.key) to \(last.key)"
    }

    /// Returns the numbers that a field's text allows, as a bit set.
    func set(_ text: Substring) throws(CronProblem) -> UInt64 {
        var set: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) { set |= try self.part(part) }
        return set
    }

    private func part(_ text: Substring) throws(CronProblem) -> UInt64 {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        let bounds: ClosedRange<Int>
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        if halves[0] == "*" {
            bounds = range
        } else if ends.count == 1 {
            let number = try number(ends[0], in: text)
            bounds = number...number
        } else {
            guard ends.count == 2 else { throw .unreadable(String(text), field: name, allowed: allowed) }
            let from = try number(ends[0], in: text)
            var to = try number(ends[1], in: text)
            // A week may end on a Sunday: fri-sun.
            if to == 0, from > 0, range == Self.dayOfWeek.range { to = 7 }
            guard from <= to else { throw .backwards(String(text), field: name) }
            bounds = from...to
        }
        var step = 1
        if halves.count > 1 {
            let most = range.upperBound - range.lowerBound
            guard halves.count == 2, halves[0] == "*" || ends.count == 2, let number = Self.digits(halves[1]),
                (1...most).contains(number)
            else { throw .malformedStep(String(text), field: name, allowed: "1 to \(most)") }
            step = number
        }
        return stride(from: bounds.lowerBound, through: bounds.upperBound, by: step).reduce(0) { $0 | 1 << UInt64($1) }
    }

    private func number(_ text: Substring, in part: Substring) throws(CronProblem) -> Int {
        if let number = names[text.lowercased()] { return number }
        guard let number = Self.digits(text) else { throw .unreadable(String(part), field: name, allowed: allowed) }
        guard range.contains(number) else { throw .outOfRange(String(text), field: name, allowed: allowed) }
        return number
    }

    private static func digits(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
