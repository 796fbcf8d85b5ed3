package import ThrongWire

/// The name of a report.
package typealias ReportName = Name<Report>

/// A report that one partner gets: what it says, when, and how.
package struct Report: Sendable, Hashable {
    /// The name in the command line and in file names.
    package let name: ReportName
    /// The heading.
    package internal(set) var title: String
    /// A paragraph for the reader, if the plan has one.
    package internal(set) var explanation: String?
    /// The partner that receives it.
    package let partner: PartnerName
    /// The insights, in reading order.
    package let insights: [InsightName]
    /// The kind of period that it covers.
    package let period: PeriodKind
    /// The schedule by which it is made; nil if it is made by hand only.
    package let schedule: CronSchedule?
    /// The formats of its files.
    package let formats: [ReportFormat]
    /// The way in which its reader writes numbers and dates.
    package let locale: ReportLocale
    /// The report's language, one of the plan's; nil if the report itself does not ask for one.
    package let language: LanguageTag?
    /// The destinations of the files.
    package let deliveries: [Delivery]
    /// The treatment of a period in which a metric was counted in two ways.
    package let split: SplitPeriod

    package init(
        name: ReportName,
        title: String,
        explanation: String?,
        partner: PartnerName,
        insights: [InsightName],
        period: PeriodKind,
        schedule: CronSchedule?,
        formats: [ReportFormat],
        deliveries: [Delivery],
        locale: ReportLocale = .english,
        split: SplitPeriod = .say,
        language: LanguageTag? = nil
    ) {
        self.name = name
        self.title = title
        self.explanation = explanation
        self.partner = partner
        self.insights = insights
        self.period = period
        self.schedule = schedule
        self.formats = formats
        self.deliveries = deliveries
        self.locale = locale
        self.split = split
        self.language = language
    }
}

/// The treatment of a report's period in which a plan edit began to count a metric anew.
package enum SplitPeriod: String, Sendable, Hashable, CaseIterable, Codable {
    /// The report is made of one of the two parts, and says of which.
    case say
    /// The report is not made.
    case hold
}

/// A file format of a report.
package enum ReportFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case html
    case pdf
    case csv
    case json

    /// The formats of a report that names none: all that need no other program.
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

/// A destination of a report.
package enum Delivery: Sendable, Hashable {
    /// A folder, relative to the daemon's data directory unless absolute.
    case folder(String)
    /// An address of the partner's.
    case http(HTTPDelivery)

    /// The way and the address: `folder out/bank`, `put https://partner.example.com/inbox/`. Runs deliver once to each.
    package var target: String {
        switch self {
        case .folder(let path): "folder \(path)"
        case .http(let http): "\(http.method.rawValue) \(http.url)"
        }
    }
}

/// A partner, who receives reports.
package struct Partner: Sendable, Hashable {
    /// The name that reports use.
    package let name: PartnerName
    /// The partner's title, for people.
    package let title: String
    /// The contact at the partner.
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
