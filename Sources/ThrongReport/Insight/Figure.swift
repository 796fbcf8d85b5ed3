internal import ThrongPlan

/// One number of a report, or why there is none.
package typealias Figure = Reported<Quantity>

/// Something that a report tells, or why it does not.
package enum Reported<Value: Sendable & Hashable>: Sendable, Hashable {
    /// It is computed from published cells only.
    case published(Value)
    /// It is of fewer than k devices, or of hardly more: see ``Withheld``.
    case withheld
    /// The plan says that nothing can be counted here: see ``Impossible``.
    case impossible
    /// There is nothing to be published or withheld: see ``Absence``.
    case absent(Absence)

    fileprivate var value: Value? { if case .published(let value) = self { value } else { nil } }

    var status: NumberStatus {
        switch self {
        case .published: .published
        case .withheld: .withheld
        case .impossible: .impossible
        case .absent(let absence): NumberStatus(absence)
        }
    }

    /// The words in place of what is not published.
    func marker(in locale: Language) -> String? { status.marker(in: locale) }
    /// The words in place of what is neither published nor withheld.
    func nothing(in locale: Language) -> String? { self == .withheld ? nil : marker(in: locale) }
}

extension Reported<Quantity> { package var quantity: Quantity? { value } }

extension Reported<Change> { package var change: Change? { value } }

/// The reason why there is no number at all: a fact that everybody knows, of the plan, the calendar or the list of
/// releases.
package enum Absence: Sendable, Hashable {
    case notReleased
    /// The metric was first released for a later period.
    case beganLater
    /// The metric's expiry date had come before the period began.
    case expired
    /// Age has taken what is that detailed: see the metric's `decay`.
    case aged
    /// The plan did not name this reader as one who receives it when it was counted.
    case unnamed
    /// The metric was laid out in another way then, so that the numbers mean different things.
    case changed(Difference)

    /// The difference that keeps two releases of a metric from being compared.
    package enum Difference: String, Sendable, Hashable, CaseIterable {
        case events = "other events"
        case sampling = "another sampling rate"
        case identifiers = "identifiers of another length of life"
        case contribution = "another bound on what one device adds"
        case buckets = "other buckets"
        case sum = "other bounds of the sum"
        case devices = "another way of counting devices"
    }
}

/// The status of a number in CSV and JSON: published, or the reason why it is not.
package enum NumberStatus: String, Sendable, Hashable, CaseIterable, Decodable {
    case published
    /// There is none: ``Withheld/wording``.
    case withheld
    /// There is none, and everybody knows that it is zero: the plan says that it cannot occur.
    case impossible
    /// There is a number, computed from published numbers: what others leave of the whole.
    case derived
    case notReleased = "not_released"
    case beganLater = "began_later"
    case expired
    case changed
    /// Numbers in this detail are not kept for so long.
    case aged
    case unnamed

    package init(_ absence: Absence) {
        self =
            switch absence {
            case .notReleased: .notReleased
            case .beganLater: .beganLater
            case .expired: .expired
            case .changed: .changed
            case .aged: .aged
            case .unnamed: .unnamed
            }
    }
}
