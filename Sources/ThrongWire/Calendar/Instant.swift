internal import Foundation

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

extension UnixSeconds {
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
