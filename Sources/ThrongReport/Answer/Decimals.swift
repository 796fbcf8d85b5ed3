/// A quotient of whole numbers as a decimal of fixed places, rounded half to even in whole-number arithmetic.
public struct Decimals: Sendable, Hashable, CustomStringConvertible {
    /// The number in units of 10^-places.
    public let units: Int128
    /// Digits after the point.
    public let places: Int

    /// Divides; the divisor is above 0.
    ///
    /// - Parameter shiftedBy: the numerator counts units of 10^-shiftedBy, 0 to 6 (``SumMeasure/decimals``).
    public init(_ numerator: Int64, shiftedBy shift: Int = 0, over divisor: Int64, places: Int) {
        var dividend = Int128(numerator)
        var divisor = Int128(divisor)
        for _ in 0..<places { dividend *= 10 }
        for _ in 0..<shift { divisor *= 10 }
        var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        if remainder < 0 {
            quotient -= 1
            remainder += divisor
        }
        let twice = remainder * 2
        if twice > divisor || (twice == divisor && quotient % 2 != 0) { quotient += 1 }
        units = quotient
        self.places = places
    }

    /// Part over whole as people read it: "42.1%", with "<0.1%" and ">99.9%" for what would round to nothing or all.
    public static func percent(_ part: Int64, of whole: Int64) -> String {
        let tenths = Decimals(part, over: whole, places: 3).units
        if part > 0 && tenths == 0 { return "<0.1%" }
        if part < whole && tenths == 1000 { return ">99.9%" }
        return Decimals(units: tenths, places: 1).grouped + "%"
    }

    private init(units: Int128, places: Int) {
        self.units = units
        self.places = places
    }

    /// "1234.50": no grouping, a hyphen for minus; what CSV and JSON carry.
    public var description: String { text(grouping: "", minus: "-") }

    /// "1,234.50": grouped by three, with a true minus; what people read.
    public var grouped: String { text(grouping: ",", minus: "\u{2212}") }

    private func text(grouping: String, minus: String) -> String {
        var digits = String(units.magnitude)
        if digits.utf8.count <= places {
            digits = String(repeating: "0", count: places + 1 - digits.utf8.count) + digits
        }
        let whole = digits.dropLast(places)
        var groups: [Substring] = []
        var rest = whole
        while rest.utf8.count > 3 {
            groups.append(rest.suffix(3))
            rest = rest.dropLast(3)
        }
        groups.append(rest)
        let fraction = places == 0 ? "" : "." + digits.suffix(places)
        return (units < 0 ? minus : "") + groups.reversed().joined(separator: grouping) + fraction
    }
}
