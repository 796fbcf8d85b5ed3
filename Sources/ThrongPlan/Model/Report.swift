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
    /// The same as pictures, for mails and slides.
    case png

    /// The formats of a report that names none; a public one is drawn, too.
    package static let standard: [ReportFormat] = [.html, .csv, .json]

    /// True if it needs a Chromium.
    package var isPrinted: Bool { self == .pdf || self == .png }
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

package typealias InsightName = Name<Insight>

/// An agreed question that the daemon answers from released numbers only, so that nobody needs the data.
package struct Insight: Sendable, Hashable {
    package let name: InsightName
    package internal(set) var title: String
    package internal(set) var explanation: String?
    package let metric: MetricName
    package let kind: Kind
    /// The dimensions that the insight is broken down by; at most two.
    package var by: [DimensionName]
    /// The buckets that the insight is confined to: dimension and one bucket each, in the plan's order.
    package let filters: [Filter]
    package var view: View = .table

    /// A computation on the released cells.
    package enum Kind: Sendable, Hashable {
        case count
        /// Devices, by the floor.
        case reach
        /// Part over whole: each bucket's share of the cell without the split, or the share of the part's bucket.
        case share(of: Basis, part: Filter?)
        /// A clipped sum over the events.
        case mean(sum: String)
        /// Events over the bands of the metric's histogram.
        case distribution
        /// Values below which given parts of the events lie, read from the metric's histogram.
        case quantiles(at: [Quantile])
        /// Answers of devices by the week in which they came back, as parts of week 0's.
        case retention(week: DimensionName)
        /// Devices by how often they did something, as they answer, or identifiers by how often within a window.
        case frequency(band: DimensionName)
        /// Identifiers that took each step within a window, as parts of those that took the one before and the first.
        case funnel(step: DimensionName)

        /// The name by which plans and reports ask for it.
        package var word: String {
            switch self {
            case .count: "count"
            case .reach: "reach"
            case .share: "share"
            case .mean: "mean"
            case .distribution: "distribution"
            case .quantiles: "quantiles"
            case .retention: "retention"
            case .frequency: "frequency"
            case .funnel: "funnel"
            }
        }
    }

    /// A form in which an insight's numbers are shown.
    package enum View: Sendable, Hashable {
        /// All of them, in the plan's order.
        case table
        /// The largest ones, the others together.
        case ranking(top: Int)
        /// Each beside those of earlier periods.
        case change(against: [Reference])
        /// Those of the last so many periods, this one included.
        case trend(periods: Int)
    }

    package enum Reference: String, Sendable, Hashable, CaseIterable, Codable {
        /// The period before: of Tuesday, Monday.
        case periodBefore = "period_before"
        /// The same hour or day a week before: of Tuesday, last week's Tuesday.
        case weekBefore = "week_before"
        /// 52 weeks before, on the same weekday; of a month, the same month a year before.
        case yearBefore = "year_before"
    }

    /// The things that a share counts.
    package enum Basis: String, Sendable, Hashable, CaseIterable, Codable {
        case events
        case devices
    }

    package struct Filter: Sendable, Hashable {
        package let dimension: DimensionName
        package let bucket: BucketLabel

        package init(dimension: DimensionName, bucket: BucketLabel) {
            (self.dimension, self.bucket) = (dimension, bucket)
        }
    }
}

/// The part of events that lie below a value: a half for the median.
package struct Quantile: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 to 999. Unit: thousandths.
    package let perMille: Int

    package static let median = Quantile(perMille: 500)

    package init(perMille: Int) { self.perMille = perMille }

    /// The part as plans and tables write it: "0.5", "0.95", "0.999".
    package var description: String {
        var digits = String(1000 + perMille).dropFirst()
        while digits.hasSuffix("0") { digits = digits.dropLast() }
        return "0.\(digits)"
    }

    package static func < (left: Self, right: Self) -> Bool { left.perMille < right.perMille }
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

/// A partner's address that takes a report's files over HTTPS, one request a file.
package struct HTTPDelivery: Sendable, Hashable {
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// PUT to the address followed by the file's name.
        case put
        /// POST to the address itself, with the name in a header.
        case post
    }

    package let method: Method
    /// The address: `https`, without user, query and fragment; for PUT it ends with a slash.
    package let url: String
    /// The host in lower case, without brackets.
    package let host: String
    package let port: Int
    /// The name of the operator's secret for the header Authorization; nil for none.
    package let authorization: String?

    /// The host as operators allow it: "partner.example.com", or "partner.example.com:8443" with a port other than 443.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// Reads an address; nil for one that is not `https://HOST[:PORT]/PATH`, for PUT with a slash at the end.
    package init?(_ method: Method, _ url: String, authorization: String? = nil) {
        let scheme = "https://"
        guard url.hasPrefix(scheme), url.utf8.count <= 1000,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#""<>\^`{|}?#@"#.utf8.contains($0) })
        else { return nil }
        let rest = url.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/"), method == .post || url.hasSuffix("/"),
            !rest[slash...].split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
        var authority = rest[..<slash]
        var port = 443
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let number = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(number) else {
                return nil
            }
            port = number
            authority = authority[..<colon]
        }
        if authority.hasPrefix("["), authority.hasSuffix("]") {
            authority = authority.dropFirst().dropLast()
            guard authority.contains(":") else { return nil }
        } else if authority.contains(where: { ":[]%".contains($0) }) {
            return nil
        }
        guard !authority.isEmpty else { return nil }
        self.method = method
        self.url = url
        self.host = authority.lowercased()
        self.port = port
        self.authorization = authorization
    }
}

/// An address that takes mail: `reports@bank.example`.
///
/// It may name a person, so that it stays in the plan: no log, metric or database holds it.
package struct MailAddress: Sendable, Hashable {
    /// The whole address, in ASCII; at most 254 bytes.
    package let text: String
    /// The part behind the `@`, in lower case.
    package let domain: String

    /// Reads an address; nil for one that RFC 5321 (section 4.1.2, without quoted strings and address literals) does not
    /// allow, or whose domain has no dot.
    package init?(_ text: String) {
        guard text.utf8.count <= 254, let sign = text.lastIndex(of: "@") else { return nil }
        let (local, domain) = (text[..<sign], text[text.index(after: sign)...].lowercased())
        let words = local.split(separator: ".", omittingEmptySubsequences: false)
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard local.utf8.count <= 64, labels.count > 1,
            words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isOfWord) }),
            labels.allSatisfy({ label in
                1...63 ~= label.utf8.count && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { $0.isASCIILetter || $0.isDigit || $0 == UInt8(ascii: "-") }
            })
        else { return nil }
        self.text = text
        self.domain = domain
    }

    /// Source: atext of RFC 5322, section 3.2.3.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
