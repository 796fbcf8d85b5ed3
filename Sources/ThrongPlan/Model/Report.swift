package import ThrongWire

package typealias ReportName = Name<Report>

/// A report that one partner gets, or everybody: what it says, when, and how.
package struct Report: Sendable, Hashable {
    /// The name in the command line and in file names.
    package let name: ReportName
    package internal(set) var title: String
    package internal(set) var explanation: String?
    package let partner: PartnerName
    package let insights: [InsightName]
    package let period: PeriodKind
    /// The schedule by which it is made; nil if it is made by hand only.
    package let schedule: CronSchedule?
    package let formats: [ReportFormat]
    package internal(set) var deliveries: [Delivery]
    package internal(set) var split = SplitPeriod.say
    /// The report's language; nil if the report itself does not ask for one.
    package internal(set) var language: LanguageTag?
    /// The condition under which it is made; nil where it always is.
    package internal(set) var alert: Alert?
    /// The publicity of a report for everybody; nil where it is for a partner alone.
    package internal(set) var publicity: Publicity?
}

/// The reach of a public report: whoever has its address reads it.
package enum Publicity: String, Sendable, Hashable, CaseIterable, Codable {
    /// Search engines may list it.
    case listed = "true"
    /// Search engines are told to leave it out.
    case unlisted
}

/// The treatment of a report's period in which a plan edit began to count a metric anew.
package enum SplitPeriod: String, Sendable, Hashable, CaseIterable, Codable {
    /// The report is made of one of the two parts, and says of which.
    case say
    /// The report is not made.
    case hold
}

package enum ReportFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case html
    case pdf
    case csv
    case json
    case xlsx
    /// Each drawing as a file of its own.
    case svg

    /// The formats of a report that names none; a public one is drawn, too.
    package static let standard: [ReportFormat] = [.html, .csv, .json]
}

package struct Partner: Sendable, Hashable {
    /// The name of everybody, to whom public reports go.
    package static let everybody = PartnerName("public")

    package let name: PartnerName
    package internal(set) var title: String
    package let contact: String
    /// The language of the partner's reports, unless they say so themselves.
    package let language: LanguageTag?

    package init(name: PartnerName, title: String, contact: String, language: LanguageTag? = nil) {
        (self.name, self.title, self.contact, self.language) = (name, title, contact, language)
    }

    /// True of everybody, in whose place whoever is responsible for the app answers.
    package var isEverybody: Bool { name == Self.everybody }
}

/// The condition under which a report is made: one of its numbers is beyond a bound, or beyond what is usual.
package struct Alert: Sendable, Hashable {
    /// The insight whose number it is about, which is one of the report's.
    package let insight: InsightName
    /// The bound below which the number makes the report, in the insight's unit; nil for none.
    package let below: Double?
    /// The bound above which it does.
    package let above: Double?
    /// True if it does where it is unlike those of ``periods(before:in:)``.
    package let isUnusual: Bool

    /// The number of earlier periods that tell what is usual.
    package static let usual = 8
    /// The least number of them that have to be published.
    package static let fewest = 4

    /// Returns the periods that tell what is usual, the latest first: of hours and days those of the same weekday.
    package func periods(before period: Period, in calendar: PeriodCalendar) -> [Period] {
        guard isUnusual else { return [] }
        let reference: Insight.Reference = period.kind > .day ? .periodBefore : .weekBefore
        var periods = [period]
        for _ in 0..<Self.usual { periods.append(reference.period(of: periods[periods.count - 1], in: calendar)) }
        return Array(periods.dropFirst())
    }
}

extension Insight.Reference {
    /// The period that another is compared with.
    package func period(of period: Period, in calendar: PeriodCalendar) -> Period {
        switch self {
        case .periodBefore: return calendar.period(period.kind, containing: period.start - 1)
        case .weekBefore: return earlier(period, byDays: 7, in: calendar)
        case .yearBefore: return earlier(period, byDays: period.kind == .month ? 365 : 364, in: calendar)
        }
    }

    /// The period of the same kind so many days before, at the same hour by the wall clock, also across a change of it.
    private func earlier(_ period: Period, byDays days: Int64, in calendar: PeriodCalendar) -> Period {
        let date = calendar.date(at: period.start).adding(days: -days)
        guard period.kind == .hour else { return calendar.period(period.kind, containing: calendar.midnight(of: date)) }
        let length = days * 86_400
        let shift = calendar.offset(at: period.start) - calendar.offset(at: period.start - length)
        return calendar.period(.hour, containing: period.start - length + shift)
    }
}
