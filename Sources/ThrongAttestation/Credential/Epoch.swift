package import ThrongWire

/// A calendar month of UTC. A daemon issues by one key in each, and a credential is good in one alone.
package struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let first: CalendarDate

    package init(containing time: UnixSeconds) { self.init(containing: PeriodCalendar.utc.date(at: time)) }

    private init(containing date: CalendarDate) { first = date.adding(days: 1 - Int64(date.day)) }

    /// Takes a number of months since January 1970; nil for none of the years 1970 to 9999.
    package init?(number: Int64) {
        guard (0..<12 * 8030).contains(number),
            let date = CalendarDate(year: 1970 + Int(number / 12), month: 1 + Int(number % 12), day: 1)
        else { return nil }
        first = date
    }

    /// The month in which a window begins: by its credentials the window's identifiers are made, also after its end.
    package init(of window: WindowNumber, rotation: Rotation) { self.init(containing: rotation.start(of: window)) }

    /// The month of a period's last day in its app's calendar: by its credentials the period's firsts are proved.
    /// Devices that join later have one of that month; in a week of two months all wait for the second.
    package init(of period: Period, in calendar: PeriodCalendar) {
        self.init(containing: calendar.date(at: UnixSeconds(period.end.value - 1)))
    }

    /// Reads what ``description`` writes, from January 1970 on; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard let date = CalendarDate("\(text)-01"), date.year >= 1970 else { return nil }
        first = date
    }

    /// Whole months since January 1970.
    package var number: Int64 { Int64(first.year - 1970) * 12 + Int64(first.month) - 1 }

    /// `2026-11`.
    package var description: String { String(first.description.dropLast(3)) }

    package var start: UnixSeconds { UnixSeconds(first.daysSince1970 * 86_400) }

    package var end: UnixSeconds { next.start }

    package var next: Epoch { Epoch(containing: first.adding(days: 31)) }

    /// The instant from which no batch of any of its windows is taken: the last one begins before its end, lasts a day
    /// at most, and batches of it come for as long again.
    package var over: UnixSeconds { end + 2 * Rotation.longest.seconds }

    /// The months for which credentials are issued at an instant: its own and, in the last days before it, the next one, so
    /// that not all devices ask in the same hour.
    package static func issued(at time: UnixSeconds) -> [Epoch] {
        let present = Epoch(containing: time)
        return present.end - time <= lead ? [present, present.next] : [present]
    }

    /// The time before its beginning in which credentials of an epoch are issued already. Unit: seconds.
    package static let lead: Int64 = 3 * 86_400

    /// Returns the context that issuer and device agree on: `throng-arc-1`, `epoch`, app and the month's number, as in
    /// ``PresentationContext``.
    package func requestContext(of app: AppName) throws(AttestationError) -> [UInt8] {
        try ContextParts.bytes(["epoch", app.text], number)
    }

    package static func < (left: Self, right: Self) -> Bool { left.first < right.first }
}
