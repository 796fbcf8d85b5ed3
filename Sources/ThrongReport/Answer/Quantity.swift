/// A number that is computed from published cells, kept exact until it is written down.
public enum Quantity: Sendable, Hashable {
    /// Unit: events.
    case events(Int64)
    /// Unit: devices, at least.
    case devices(Int64)
    /// Unit: devices, as they say themselves.
    case said(Int64)
    /// Part over whole; the whole is above 0.
    case share(part: Int64, whole: Int64)
    /// A sum in units of 10^-decimals, over events; events are above 0.
    case mean(sum: Int64, decimals: Int, events: Int64)

    /// Decimal places of a share in CSV and JSON, where it is a fraction of 1.
    public static let sharePlaces = 6
    /// Fewest decimal places of a mean.
    public static let leastMeanPlaces = 2

    /// The number as CSV and JSON have it: an exact decimal, rounded half to even; a share is a fraction of 1.
    public var decimal: Decimals {
        switch self {
        case .events(let count), .devices(let count), .said(let count):
            Decimals(count, over: 1, places: 0)
        case .share(let part, let whole):
            Decimals(part, over: whole, places: Self.sharePlaces)
        case .mean(let sum, let decimals, let events):
            Decimals(sum, shiftedBy: decimals, over: events, places: max(decimals, Self.leastMeanPlaces))
        }
    }

    /// For lengths of bars and for order, never for print.
    public var approximate: Double {
        switch self {
        case .events(let count), .devices(let count), .said(let count):
            return Double(count)
        case .share(let part, let whole):
            return Double(part) / Double(whole)
        case .mean(let sum, let decimals, let events):
            var scale = 1.0
            for _ in 0..<decimals { scale *= 10 }
            return Double(sum) / scale / Double(events)
        }
    }
}
