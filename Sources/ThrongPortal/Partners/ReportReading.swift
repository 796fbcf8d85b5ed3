internal import Foundation
internal import ThrongPlan
internal import ThrongReport

/// A report as its JSON file says it: released numbers only.
struct ReportReading: Decodable {
    struct Period: Decodable {
        let label: String
        let title: String
    }

    struct Axis: Decodable {
        let name: String
        let title: String
    }

    struct Basis: Decodable {
        let statement: String
        let counts: Counted
    }

    /// As what an insight's rows are shown.
    struct View: Decodable {
        let `as`: String
    }

    /// An insight and its rows.
    struct Insight: Decodable {
        let name: String
        let title: String
        let kind: String
        let view: View
        let unit: String
        /// answered, or a ``NumberStatus``.
        let status: String
        let basis: Basis?
        let dimensions: [Axis]
        let whole: Figure?
        let rows: [Row]
        /// The periods of a trend, the report's own last.
        let points: [Point]?
    }

    /// The rows of one period.
    struct Point: Decodable {
        let period: Period
        let rows: [Row]
    }

    /// A number, or why there is none.
    struct Figure: Decodable {
        let status: NumberStatus
        /// Nil also where a quantile's band is open.
        let value: Number?
        let low: Number?
        let high: Number?
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

    /// A decimal, exactly as it is written.
    struct Number: Decodable {
        let decimals: Decimals

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let decimals = Decimals("\(try container.decode(Decimal.self))") else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number of too many digits")
            }
            self.decimals = decimals
        }
    }

    let title: String
    let withheld: String
    let locale: ReportLocale
    let period: Period
    let insights: [Insight]

    init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }
}
