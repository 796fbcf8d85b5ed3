/// A promise that a history broke.
public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which promise.
    public enum Promise: String, Sendable, Hashable, CaseIterable {
        case lost, doubled, identifiers, releasedEarly, deletedEarly, startRefused, neverStarts, neverArrives, readiness
    }

    /// Which promise.
    public let promise: Promise
    /// What was found.
    public let detail: String

    /// The promise and what was found.
    public var description: String { "\(promise.rawValue): \(detail)" }
}
