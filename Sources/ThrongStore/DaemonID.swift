package import Foundation

/// A data directory with a journal: made once with it, never reused.
package struct DaemonID: Hashable, Sendable, Codable, CustomStringConvertible {
    package let uuid: UUID

    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads the usual form with hyphens; nil for anything else.
    package init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// The id as text: lower case, with hyphens.
    package var description: String { uuid.uuidString.lowercased() }
}
