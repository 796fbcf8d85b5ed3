package import ThrongWire

/// The name of a report.
package typealias ReportName = Name<Report>

/// What one partner gets, when, and how.
package struct Report: Sendable, Hashable {
    /// What the command line and the file names use.
    package let name: ReportName
    /// Its heading.
    package internal(set) var title: String
    /// A paragraph for the reader, if the plan has one.
    package internal(set) var explanation: String?
    /// Who receives it.
    package let partner: PartnerName
    /// What it says, in reading order.
    package let insights: [InsightName]
    /// What it covers.
    package let period: PeriodKind
    /// When it is made; nil is only by hand.
    package let schedule: CronSchedule?
    /// As which files.
    package let formats: [ReportFormat]
    /// How its reader writes numbers and dates.
    package let locale: ReportLocale
    /// In which of the plan's languages it is, where they are asked for by the report itself.
    package let language: LanguageTag?
    /// Where the files go.
    package let deliveries: [Delivery]
    /// What becomes of it where a metric was counted in two ways within its period.
    package let split: SplitPeriod

    /// Puts a report together.
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

/// What becomes of a report of a period in which a change of the plan began to count a metric anew.
package enum SplitPeriod: String, Sendable, Hashable, CaseIterable, Codable {
    /// It is made of one of the two parts, and says of which.
    case say
    /// It is not made.
    case hold
}

/// A file format of a report.
package enum ReportFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case html
    case pdf
    case csv
    case json

    /// What a report is made as unless it says so: all that needs no other program.
    package static let standard: [ReportFormat] = [.html, .csv, .json]
}

/// How a report's reader writes numbers and dates; its sentences are English.
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

/// Where a report goes.
package enum Delivery: Sendable, Hashable {
    /// A folder, relative to the daemon's data directory unless absolute.
    case folder(String)
    /// An address of the partner's.
    case http(HTTPDelivery)

    /// Its way and where to: `folder out/bank`, `put https://partner.example.com/inbox/`. Runs deliver once to each.
    package var target: String {
        switch self {
        case .folder(let path): "folder \(path)"
        case .http(let http): "\(http.method.rawValue) \(http.url)"
        }
    }
}

/// Who receives reports.
package struct Partner: Sendable, Hashable {
    /// What reports name it by.
    package let name: PartnerName
    /// What people call it.
    package let title: String
    /// Whom to ask there.
    package let contact: String
    /// In which of the plan's languages its reports are, unless they say so themselves.
    package let language: LanguageTag?

    /// Puts a partner together.
    package init(name: PartnerName, title: String, contact: String, language: LanguageTag? = nil) {
        self.name = name
        self.title = title
        self.contact = contact
        self.language = language
    }
}
