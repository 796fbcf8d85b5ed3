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

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
