package import Foundation

extension ProcessingRecord {
    /// The record as JSON with sorted keys in snake_case, the same bytes every time, without a line feed at its end.
    ///
    /// - Throws: what `JSONEncoder` throws.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
