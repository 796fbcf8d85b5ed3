/// What one partner gets, when, and how.
public struct Report: Sendable, Hashable {
    /// What the command line and the file names use.
    public let name: ReportName
    /// Its heading.
    public let title: String
    /// A paragraph for the reader, if the plan has one.
    public let explanation: String?
    /// Who receives it.
    public let partner: PartnerName
    /// What it says, in reading order.
    public let insights: [InsightName]
    /// What it covers.
    public let period: PeriodKind
    /// When it is made; nil is only by hand.
    public let schedule: CronSchedule?
    /// As which files.
    public let formats: [ReportFormat]
    /// How its reader writes numbers and dates.
    public let locale: ReportLocale
    /// Where the files go.
    public let deliveries: [Delivery]

    /// Puts a report together.
    public init(
        name: ReportName,
        title: String,
        explanation: String?,
        partner: PartnerName,
        insights: [InsightName],
        period: PeriodKind,
        schedule: CronSchedule?,
        formats: [ReportFormat],
        deliveries: [Delivery],
        locale: ReportLocale = .english
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
    }
}

/// A file format of a report.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case html
    case pdf
    case csv
    case json

    /// What a report is made as unless it says so: all that needs no other program.
    public static let standard: [ReportFormat] = [.html, .csv, .json]
}

/// Where a report goes.
public enum Delivery: Sendable, Hashable {
    /// A folder, relative to the daemon's data directory unless absolute.
    case folder(String)
    /// An address of the partner's.
    case http(HTTPDelivery)

    /// Its way and where to: `folder out/bank`, `put https://partner.example.com/inbox/`. Runs deliver once to each.
    public var target: String {
        switch self {
        case .folder(let path): "folder \(path)"
        case .http(let http): "\(http.method.rawValue) \(http.url)"
        }
    }
}

/// Who receives reports.
public struct Partner: Sendable, Hashable {
    /// What reports name it by.
    public let name: PartnerName
    /// What people call it.
    public let title: String
    /// Whom to ask there.
    public let contact: String

    /// Puts a partner together.
    public init(name: PartnerName, title: String, contact: String) {
        self.name = name
        self.title = title
        self.contact = contact
    }
}
