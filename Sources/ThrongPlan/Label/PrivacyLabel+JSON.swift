package import Foundation

extension PrivacyLabel {
    /// The answer to `GET /v1/label/APP`: the label as JSON with sorted keys in snake_case.
    ///
    /// - Throws: what `JSONEncoder` throws.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
