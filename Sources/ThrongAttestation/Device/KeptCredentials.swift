internal import Foundation
internal import ThrongWire

/// A device's credentials as kept, in JSON: by month, an unanswered request or a credential; and when it asks.
struct KeptCredentials: Codable, Sendable {
    struct Month: Codable, Sendable {
        /// A ``Precredential``, until its answer is there.
        var request: [UInt8]?
        /// A ``Credential``.
        var credential: [UInt8]?
        var since: UnixSeconds?
    }

    /// The months, by ``Epoch/description``.
    var months: [String: Month] = [:]
    private(set) var asking: UnixSeconds?
    private(set) var askingNext: UnixSeconds?
    /// The month for which these were drawn.
    private var drawn: String?

    /// A device that has no credential of the month asks within so long. Unit: seconds.
    private static let spread: Int64 = 3600

    init() {}

    /// - Throws: ``DeviceCredentialsError/stored`` for what is none of it.
    init(_ bytes: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
            for month in months.values {
                if let request = month.request { _ = try Precredential(rawRepresentation: request) }
                if let credential = month.credential { _ = try Credential(rawRepresentation: credential) }
            }
        } catch { throw DeviceCredentialsError.stored }
    }

    func bytes() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// Draws when to ask, once a month, and forgets months that are over. Returns whether anything changed.
    mutating func draw(for epoch: Epoch, now: UnixSeconds) -> Bool {
        guard drawn != epoch.description else { return false }
        drawn = epoch.description
        months = months.filter { name, _ in Epoch(name).map { $0.over > now } ?? false }
        asking = now + .random(in: 0..<Self.spread)
        askingNext = epoch.end - .random(in: 1...Epoch.lead)
        return true
    }
}
