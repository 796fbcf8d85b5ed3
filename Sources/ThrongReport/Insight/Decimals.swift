/// A quotient of whole numbers as a decimal of fixed places, rounded half to even in whole-number arithmetic.
package struct Decimals: Sendable, Hashable, CustomStringConvertible {
    /// The number in units of 10^-places.
    package let units: Int128
    /// Digits after the point.
    package let places: Int

    /// Divides; the divisor is above 0.
    ///
    /// - Parameter shiftedBy: the numerator counts units of 10^-shiftedBy, 0 to 6 (``SumMeasure/decimals``).
    package init(_ numerator: Int64, shiftedBy shift: Int = 0, over divisor: Int64, places: Int) {
        self.init(wide: Int128(numerator), over: Int128(divisor) * .ten(to: shift), places: places)
    }

    /// Divides wider numbers; the divisor is above 0. What does not fit 128 bits loses its last binary digits.
    package init(wide numerator: Int128, over divisor: Int128, places: Int) {
        var dividend = numerator
        var divisor = divisor
        for _ in 0..<places {
            while dividend.magnitude > Int128.max.magnitude / 10, divisor > 1 {
                dividend /= 2
                divisor = Swift.max(divisor / 2, 1)
            }
            let (product, overflow) = dividend.multipliedReportingOverflow(by: 10)
            dividend = overflow ? (dividend < 0 ? .min : .max) : product
        }
        var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        if remainder < 0 {
            quotient -= 1
            remainder += divisor
        }
        let left = divisor - remainder
        if remainder > left || (remainder == left && quotient % 2 != 0) { quotient += 1 }
        (units, self.places) = (quotient, places)
    }

    /// A number of at most 15 digits as it is written, such as 0.25 or 1234.5.
    package init(exactly value: Double) {
        var places = 0
        var scale = 1.0
        while places < 15, (value * scale).rounded() / scale != value {
            places += 1
            scale *= 10
        }
        self.init(value, rounded: .toNearestOrEven, places: places)
    }

    /// A floating-point number, clamped to what 64 bits hold.
    package init(_ value: Double, rounded rule: FloatingPointRoundingRule, places: Int) {
        let scaled = (value * Double(Int128.ten(to: places))).rounded(rule)
        units = Int128(Swift.min(Swift.max(scaled, -0x1p62), 0x1p62))
        self.places = places
    }

    /// An approximation for lengths and order, never for print.
    package var approximate: Double { Double(units) / (0..<places).reduce(1.0) { power, _ in power * 10 } }

    package init(whole: Int) { self.init(units: Int128(whole), places: 0) }

    /// Reads what ``description`` writes: "-1234.50"; nil for anything else, and for more than 128 bits hold.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let units = Int128(parts.joined()), parts.allSatisfy({ $0.last?.isWholeNumber ?? false })
        else { return nil }
        self.init(units: units, places: parts.count > 1 ? parts[1].utf8.count : 0)
    }

    /// This number less another, exactly, in the finer places of the two; nil where it does not fit.
    package func less(_ other: Decimals) -> Decimals? {
        let places = Swift.max(places, other.places)
        guard let mine = units(in: places), let theirs = other.units(in: places) else { return nil }
        let (difference, overflow) = mine.subtractingReportingOverflow(theirs)
        return overflow ? nil : Decimals(units: difference, places: places)
    }

    /// This number as a fraction of another with as many places as shares have; nil where that is not above 0.
    package func over(_ other: Decimals) -> Decimals? {
        let places = Swift.max(places, other.places)
        guard let mine = units(in: places), let theirs = other.units(in: places), theirs > 0 else { return nil }
        return Decimals(wide: mine, over: theirs, places: Quantity.sharePlaces)
    }

    /// The same number with at least so many digits after the point.
    package func padded(to places: Int) -> Decimals {
        guard places > self.places, let units = units(in: places) else { return self }
        return Decimals(units: units, places: places)
    }

    private func units(in places: Int) -> Int128? {
        var scaled = units
        for _ in self.places..<places {
            let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            scaled = product
        }
        return scaled
    }

    /// A number of units of 10^-places.
    package init(units: Int128, places: Int) { (self.units, self.places) = (units, places) }

    /// "1234.50": no grouping, a hyphen for minus; what CSV and JSON carry.
    package var description: String {
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(places + 1 - digits.utf8.count, 0)) + digits
        return (units < 0 ? "-" : "") + padded.dropLast(places) + (places == 0 ? "" : ".\(padded.suffix(places))")
    }
}

extension Decimals { package var magnitude: Decimals { Decimals(units: units < 0 ? -units : units, places: places) } }

extension Int128 {
    /// A power of ten, of 0 to 38.
    static func ten(to exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
