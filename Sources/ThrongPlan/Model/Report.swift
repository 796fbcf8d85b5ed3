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
    /// The way in which its reader writes numbers and dates.
    package internal(set) var locale = ReportLocale.english
    package internal(set) var split = SplitPeriod.say
    /// The report's language, one of the plan's; nil if the report itself does not ask for one.
    package internal(set) var language: LanguageTag?
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

/// The way in which a report's reader writes numbers and dates; the report's sentences are English.
package enum ReportLocale: String, Sendable, Hashable, CaseIterable, Codable {
    case english = "en"
    case americanEnglish = "en-US"
    case german = "de"
    case swissGerman = "de-CH"
    case french = "fr"
    case italian = "it"
    case spanish = "es"
    case dutch = "nl"
}

package enum Delivery: Sendable, Hashable {
    /// A folder, relative to the daemon's data directory unless absolute.
    case folder(String)
    case http(HTTPDelivery)

    /// The way and the address: `folder out/bank`, `put https://partner.example.com/inbox/`. Runs deliver once to each.
    package var target: String {
        switch self {
        case .folder(let path): "folder \(path)"
        case .http(let http): "\(http.method.rawValue) \(http.url)"
        }
    }
}

package struct Partner: Sendable, Hashable {
    package let name: PartnerName
    package let title: String
    package let contact: String
    /// The language of the partner's reports, one of the plan's, unless they say so themselves.
    package let language: LanguageTag?

    package init(name: PartnerName, title: String, contact: String, language: LanguageTag? = nil) {
        self.name = name
        self.title = title
        self.contact = contact
        self.language = language
    }
}
