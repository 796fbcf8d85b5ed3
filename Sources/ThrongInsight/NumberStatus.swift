/// Whether a number is there, as CSV and JSON say it.
package enum NumberStatus: String, Sendable, Hashable, CaseIterable, Decodable {
    /// It is.
    case published
    /// It is not, and nothing says why: ``Withheld/wording``.
    case withheld
    /// It is not, and everybody knows that it is zero: the plan says that it cannot occur.
    case impossible
    /// It is, and was computed from published numbers: what others leave of the whole.
    case derived
    /// No release covers the insight's metric, period and grouping.
    case notReleased = "not_released"
    /// The metric was first released for a later period.
    case beganLater = "began_later"
    /// The metric had expired before the period began.
    case expired
    /// The metric was counted in another way then.
    case changed

    /// What stands in a table or a chart where the number would be; nil where there is one.
    package var marker: String? {
        switch self {
        case .published, .derived: nil
        case .withheld: Withheld.marker
        case .impossible: Impossible.marker
        case .notReleased: "not released"
        case .beganLater: "counting began later"
        case .expired: "metric expired"
        case .changed: "not comparable"
        }
    }

    /// The status of a number that everybody knows not to be there.
    package init(_ absence: Absence) {
        self =
            switch absence {
            case .notReleased: .notReleased
            case .beganLater: .beganLater
            case .expired: .expired
            case .changed: .changed
            }
    }
}
