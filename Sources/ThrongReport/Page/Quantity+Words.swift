extension Quantity {
    /// The number as people read it, without its unit: "12,480", "42.1%", "38.20".
    var figureText: String {
        switch self {
        case .share(let part, let whole): Decimals.percent(part, of: whole)
        case .events, .devices, .said, .mean: decimal.grouped
        }
    }

    /// The number with its unit: "12,480 events", "at least 310 devices", "42.1%", "38.20 EUR".
    ///
    /// - Parameter unit: of the sum, where this is a mean.
    func words(unit: String) -> String {
        switch self {
        case .events: "\(figureText) events"
        case .devices: "at least \(figureText) devices"
        case .said: "\(figureText) devices"
        case .share: figureText
        case .mean: unit.isEmpty ? figureText : "\(figureText) \(unit)"
        }
    }
}
