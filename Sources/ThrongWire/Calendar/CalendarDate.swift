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
