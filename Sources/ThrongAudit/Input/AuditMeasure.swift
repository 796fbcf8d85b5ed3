/// What a number counts: events, a clipped sum, or devices.
///
/// As JSON it is a string: "count", "sum:NAME" or "reach".
package enum AuditMeasure: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Unit: events.
    case count
    /// Unit: 10^-6 of the sum's unit, whatever its declared decimals: files and tables then agree.
    case sum(String)
    /// Unit: devices. Not additive.
    case reach

    /// The word for it.
    package var description: String {
        switch self {
        case .count: "count"
        case .sum(let name): "sum:\(name)"
        case .reach: "reach"
        }
    }

    /// Orders by the word.
    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

extension AuditMeasure: Codable {
    /// Reads the word.
    package init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        if word == "count" {
            self = .count
        } else if word == "reach" {
            self = .reach
        } else if word.hasPrefix("sum:") {
            self = .sum(String(word.dropFirst(4)))
        } else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a measure is count, sum:NAME or reach"))
        }
    }

    /// Writes the word.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
