internal import Foundation

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
    }

    /// An insight and its rows.
    struct Insight: Decodable {
        let name: String
        let title: String
        let unit: String
        let basis: Basis?
        let dimensions: [Axis]
        let whole: Figure?
        let rows: [Row]
    }

    /// A number, or why there is none.
    struct Figure: Decodable {
        let status: String
        let value: Decimal?
    }

    struct Row: Decodable {
        let buckets: [String]
        let status: String
        let value: Decimal?

        var figure: Figure { Figure(status: status, value: value) }
    }

    let title: String
    let withheld: String
    let period: Period
    let insights: [Insight]

    init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }
}
