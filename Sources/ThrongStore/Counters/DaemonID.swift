public import Foundation

/// A data directory with a journal: made once with it, never reused.
public struct DaemonID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Random, 128 bits.
    public let uuid: UUID

    /// Wraps an id that was made earlier.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads the usual form with hyphens; nil for anything else.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// Lower case, with hyphens.
    public var description: String { uuid.uuidString.lowercased() }
}
