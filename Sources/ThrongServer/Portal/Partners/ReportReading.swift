internal import Foundation
internal import ThrongPlan
internal import ThrongReport
internal import ThrongWire

/// A report as its JSON file says it: released numbers only.
struct ReportReading: Decodable {
    struct Covered: Decodable {
        /// hour, day, week or month.
        let kind: String
        let label: String
        let title: String
        /// Its first second, as RFC 3339 writes it in UTC: texts are in the order of time.
        let start: String
        /// The second after its last.
        let end: String
    }

    struct Period: Decodable { let label: String }

    struct Axis: Decodable {
        let name: String
        let title: String
        let buckets: [String]
    }

    /// One bucket of a dimension, to which numbers are confined.
    struct Bucket: Decodable, Equatable {
        let dimension: String
        let bucket: String
    }

    struct Basis: Decodable {
        let counts: Counted
        /// The evidence that numbers are numbers of devices; nil where they are not.
        let devices: NumberBasis.Devices?
        /// Unit: devices, or events where there are no identifiers.
        let k: Int64
        /// The devices that count for k; nil where there are no identifiers.
        let floor: FloorKind?
        /// Share of events that clients send.
        let sampling: Decimals
        /// The time for which an identifier lasts; nil where there is none. Unit: seconds.
        let windowSeconds: Int64?
        let margin: Margin
    }

    /// The margin of numbers, which are noisy on purpose.
    struct Margin: Decodable, Equatable {
        /// 19 of 20 numbers lie within it. Unit: the numbers'.
        let within: Int64
    }

    struct View: Decodable { let `as`: String }

    struct Insight: Decodable {
        let name: String
        let title: String
        let metric: String
        let kind: String
        let view: View
        let unit: String
        let filters: [Bucket]
        /// The bucket whose share it is; nil where the insight is no share of one.
        let part: Bucket?
        /// answered, or a ``NumberStatus``.
        let status: String
        let basis: Basis?
        let dimensions: [Axis]
        /// The part of the whole that the published rows leave out, as a fraction of 1; nil where that is unknown.
        let withheldShare: Decimals?
        let whole: Figure?
        let rows: [Row]
        /// The periods of a trend, the report's own last.
        let points: [Point]?
    }

    struct Point: Decodable {
        let period: Period
        let rows: [Row]
    }

    /// A number, or why there is none.
    struct Figure: Decodable {
        let status: NumberStatus
        /// Nil also where a quantile's band is open.
        let value: Decimals?
        /// The lower end of a number's interval, or of a quantile's band; nil also if open, or the margin says all.
        let low: Decimals?
        /// The upper end of the same.
        let high: Decimals?
    }

    struct Row: Decodable {
        let buckets: [String]
        let figure: Figure

        private enum Key: String, CodingKey { case buckets }

        init(from decoder: any Decoder) throws {
            buckets = try decoder.container(keyedBy: Key.self).decode([String].self, forKey: .buckets)
            figure = try Figure(from: decoder)
        }
    }

    let title: String
    private let locale: String
    let period: Covered
    let insights: [Insight]

    /// The language that it is written in; nil where nobody knows it.
    var language: Language? { LanguageTag(locale).flatMap { Language($0) } }

    /// The period's title where that is in a language, or else its label.
    func periodTitle(in page: Language) -> String {
        language?.tag.language == page.tag.language ? period.title : period.label
    }

    init(json: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(json))
    }
}

extension ReportReading {
    /// Returns the reason why none of two reports' numbers can be compared; nil where some may be.
    func difference(from earlier: ReportReading, in language: Language) -> String? {
        period.kind == earlier.period.kind ? nil : language.say(.incomparable, ["what": "period"])
    }
}

extension ReportReading.Insight {
    /// Returns the reason why its numbers can't be compared with those that an earlier report has under the same name,
    /// in the report's own words where it has some. Nil where, as far as files tell, both are the same.
    ///
    /// It agrees with what a report compares with earlier releases. What files do not say, such as a bound on what one
    /// device adds, is not compared.
    ///
    /// - Parameter learned: the dimensions that get buckets while counting goes on; more are no difference.
    func difference(from earlier: Self, learned: Set<String>, in language: Language) -> String? {
        let otherInsight = language.say(.incomparable, ["what": "insight"])
        func changed(_ what: Absence.Difference) -> String { Absence.changed(what).sentence(in: language) }
        if metric != earlier.metric || kind != earlier.kind || filters != earlier.filters || part != earlier.part {
            return otherInsight
        }
        // There are no numbers without an answer.
        guard let basis, let before = earlier.basis else { return nil }
        if basis.sampling != before.sampling { return changed(.sampling) }
        if basis.windowSeconds != before.windowSeconds { return changed(.identifiers) }
        if basis.counts != before.counts || basis.devices != before.devices { return changed(.devices) }
        if basis.counts != .events, basis.floor ?? .any != before.floor ?? .any { return changed(.devices) }
        if unit != earlier.unit || dimensions.map(\.name) != earlier.dimensions.map(\.name) { return otherInsight }
        let isSplitAlike = zip(splitting, earlier.splitting).allSatisfy { axis, before in
            learned.contains(axis.name) || axis.buckets == before.buckets
        }
        return isSplitAlike ? nil : changed(.buckets)
    }

    /// The dimensions that split what is counted: the last one of quantiles only says which of them are asked for.
    private var splitting: [ReportReading.Axis] { kind == "quantiles" ? dimensions.dropLast() : dimensions }
}

/// A decimal is read exactly as it is written.
extension Decimals: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let decimals = Decimals("\(try container.decode(Decimal.self))") else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number of too many digits")
        }
        self = decimals
    }
}
