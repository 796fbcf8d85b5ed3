/// A promise that a history broke.
package struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which promise.
    package enum Promise: String, Sendable, Hashable, CaseIterable {
        case lost, doubled, identifiers, releasedEarly, deletedEarly, startRefused, neverStarts, neverArrives,
            readiness, withdrawn, unheard
    }

    /// Which promise.
    package let promise: Promise
    /// What was found.
    package let detail: String

    /// The promise and what was found.
    package var description: String { "\(promise.rawValue): \(detail)" }
}
