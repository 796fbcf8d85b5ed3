package import Foundation

extension JSONEncoder {
    /// An encoder that writes the same bytes for the same value.
    package static func stable(
        keys: KeyEncodingStrategy = .useDefaultKeys, _ more: OutputFormatting = []
    ) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = more.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}

extension Encodable {
    /// The value as JSON with sorted keys: the same text for the same value.
    package var stableJSON: String {
        get throws { String(decoding: try JSONEncoder.stable().encode(self), as: UTF8.self) }
    }
}
