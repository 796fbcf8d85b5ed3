/// Why there is no number at all: facts that everybody knows, of the plan, the calendar and the list of releases.
package enum Absence: Sendable, Hashable {
    /// There is no release of it.
    case notReleased
    /// The metric was first released for a later period.
    case beganLater
    /// The metric's expiry date had come before the period began.
    case expired
    /// The metric was laid out in another way then, so that the numbers mean different things.
    case changed(Difference)

    /// What differs between two releases of a metric that can't be compared.
    package enum Difference: String, Sendable, Hashable, CaseIterable {
        case events = "other events"
        case sampling = "another sampling rate"
        case identifiers = "identifiers of another length of life"
        case contribution = "another bound on what one device adds"
        case buckets = "other buckets"
        case sum = "other bounds of the sum"
        case devices = "another way of counting devices"
        case noise = "other noise"
    }

    /// What stands in a table or a chart where the number would be.
    package var marker: String { NumberStatus(self).marker ?? "" }

    /// The same in a sentence.
    package var wording: String {
        switch self {
        case .notReleased: "There is no release of this metric for the period."
        case .beganLater: "There is no number: counting began later."
        case .expired: "There is no number: the metric expired."
        case .changed(let difference): "The numbers can't be compared: the metric had \(difference.rawValue) then."
        }
    }
}
