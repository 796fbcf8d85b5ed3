internal import Foundation
package import Logging

/// Writes the log as JSON, one object per line: `time` (UTC), `level`, `label`, `message`, and `error` and `metadata`
/// if there are any.
///
/// A line is one write. Control characters in texts of others are escaped, so that none makes a line.
package struct JSONLog: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: takes a line with its end.
    package init(label: String, write: @escaping @Sendable ([UInt8]) -> Void) {
        (self.label, self.write) = (label, write)
    }

    package init(label: String) {
        self.init(label: label) { line in
            // A line that nobody reads any more is lost, as it is with text.
            _ = line.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        let line = Line(
            time: Date.now.formatted(.iso8601), level: event.level.rawValue, label: label, message: "\(event.message)",
            error: event.error.map { "\($0)" }, metadata: all.isEmpty ? nil : all.mapValues(Value.init))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Text, and arrays and dictionaries of it, can always be encoded.
        guard let text = try? encoder.encode(line) else { return }
        write(Array(text) + [UInt8(ascii: "\n")])
    }

    private struct Line: Encodable {
        let time: String
        let level: String
        let label: String
        let message: String
        let error: String?
        let metadata: [String: Value]?
    }

    private struct Value: Encodable {
        let value: Logger.MetadataValue

        init(_ value: Logger.MetadataValue) { self.value = value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .string(let text): try container.encode(text)
            case .stringConvertible(let described): try container.encode(described.description)
            case .array(let values): try container.encode(values.map(Value.init))
            case .dictionary(let values): try container.encode(values.mapValues(Value.init))
            }
        }
    }
}
