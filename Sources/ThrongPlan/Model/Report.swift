package import ThrongWire

package typealias ReportName = Name<Report>

/// A report that one partner gets: what it says, when, and how.
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

    /// The formats of a report that names none.
    package static let standard: [ReportFormat] = [.html, .csv, .json]
}

package enum Delivery: Sendable, Hashable {
    /// A folder, relative to the daemon's data directory unless absolute.
    case folder(String)
    case http(HTTPDelivery)
    /// All files in one mail; the address's place among those of the report, from 1.
    case mail(MailAddress, place: Int)

    /// The way and the address: `folder out/bank`, `put https://partner.example.com/inbox/`, `mail address 1 at
    /// bank.example`. Runs deliver once to each. A mail's address stays in the plan.
    package var target: String {
        switch self {
        case .folder(let path): "folder \(path)"
        case .http(let http): "\(http.method.rawValue) \(http.url)"
        case .mail(let address, let place): "mail address \(place) at \(address.domain)"
        }
    }
}

package struct Partner: Sendable, Hashable {
    package let name: PartnerName
    package let title: String
    package let contact: String
    /// The language of the partner's reports, unless they say so themselves.
    package let language: LanguageTag?

    package init(name: PartnerName, title: String, contact: String, language: LanguageTag? = nil) {
        (self.name, self.title, self.contact, self.language) = (name, title, contact, language)
    }
}
