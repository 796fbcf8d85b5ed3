/// One number of a report, or why there is none.
package enum Figure: Sendable, Hashable {
    /// It is computed from published cells only.
    case published(Quantity)
    /// It is of fewer than k devices, or of hardly more: see ``Withheld``.
    case withheld
    /// The plan says that nothing can be counted here: see ``Impossible``.
    case impossible
    /// There is nothing to be published or withheld: see ``Absence``.
    case absent(Absence)

    /// The number, where there is one.
    package var quantity: Quantity? {
        switch self {
        case .published(let quantity): quantity
        case .withheld, .impossible, .absent: nil
        }
    }
}

/// The reason why there is no number at all: a fact that everybody knows, of the plan, the calendar or the list of
/// releases.
package enum Absence: Sendable, Hashable {
    /// There is no release of it.
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
    /// There is a number.
    case published
    /// There is none: ``Withheld/wording``.
    case withheld
    /// There is none, and everybody knows that it is zero: the plan says that it cannot occur.
    case impossible
    /// There is a number, computed from published numbers: what others leave of the whole.
    case derived
    /// No release covers the insight's metric, period and grouping.
    case notReleased = "not_released"
    /// The metric was first released for a later period.
    case beganLater = "began_later"
    /// The metric had expired before the period began.
    case expired
    /// The metric was counted in another way then.
    case changed
    /// Numbers in this detail are not kept for so long.
    case aged
    /// The plan did not name this reader when it was counted.
    case unnamed

    /// The status of a number that everybody knows not to be there.
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
