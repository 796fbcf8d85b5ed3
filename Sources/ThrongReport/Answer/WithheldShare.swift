/// Which share of a whole its published parts leave out: 1 − sum of the published parts / published whole.
///
/// It is computed from published numbers alone, so it tells nothing that they do not.
public enum WithheldShare: Sendable, Hashable {
    /// Unit: events.
    case known(missing: Int64, whole: Int64)
    /// The whole is withheld or not shown.
    case unknown

    /// The share as a fraction of 1, as CSV and JSON have it; nil is unknown.
    public var decimal: Decimals? {
        switch self {
        case .known(let missing, let whole): Decimals(missing, over: whole, places: Quantity.sharePlaces)
        case .unknown: nil
        }
    }
}
