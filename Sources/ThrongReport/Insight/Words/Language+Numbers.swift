package import ThrongPlan

/// Numbers as readers of a language write them, with a true minus (U+2212).
extension Language {
    /// "1,234.50".
    package func text(_ number: Decimals) -> String { self.number(number.description, places: number.places) }

    /// "1,234".
    package func text(_ number: some BinaryInteger) -> String { self.number(String(number), places: 0) }

    /// Part over whole: "42.1%", with "<0.1%" and ">99.9%" for what would round to nothing or all.
    package func percent(_ part: Int64, of whole: Int64) -> String {
        let tenths = Decimals(part, over: whole, places: 3).units
        if part > 0 && tenths == 0 { return "<" + percent(tenths: 1) }
        if part < whole && tenths == 1000 { return ">" + percent(tenths: 999) }
        return percent(tenths: tenths)
    }

    /// A fraction of 1: "42.1%".
    package func percent(_ fraction: Decimals) -> String { percent(tenths: Self.tenths(fraction)) }

    /// A fraction of 1 with its sign: "+4.2%", and "<0.1%" without one for what would round to nothing.
    package func signedPercent(_ fraction: Decimals) -> String {
        Self.isTiny(fraction) ? "<\(percent(tenths: 1))" : sign(fraction) + percent(fraction)
    }

    /// A fraction of 1 in percentage points with its sign: "+1.3 points", and "<0.1 points" without one for what would
    /// round to nothing.
    package func signedPoints(_ fraction: Decimals) -> String {
        say(.points, ["number": (Self.isTiny(fraction) ? "" : sign(fraction)) + points(fraction)])
    }

    /// A fraction of 1 in percentage points: "1.3", and "<0.1" for what would round to nothing.
    package func points(_ fraction: Decimals) -> String {
        Self.isTiny(fraction)
            ? "<" + text(Decimals(units: 1, places: 1)) : text(Decimals(units: Self.tenths(fraction), places: 1))
    }

    /// Returns the size of a fraction of 1: "12.3%", and "<0.1%" for what would round to nothing.
    package func size(_ fraction: Decimals) -> String {
        Self.isTiny(fraction) ? "<\(percent(tenths: 1))" : percent(fraction.magnitude)
    }

    /// True if the fraction is not zero but rounds to it.
    private static func isTiny(_ fraction: Decimals) -> Bool { fraction.units != 0 && tenths(fraction) == 0 }

    /// A number with its sign: "+1,204".
    package func signed(_ number: Decimals) -> String { sign(number) + text(number) }

    private func sign(_ number: Decimals) -> String { number.units > 0 ? "+" : "" }

    /// "90%", "99.9%".
    package func percent(of quantile: Quantile) -> String {
        percent(ofHundred: Decimals(units: Int128(quantile.perMille), places: 1))
    }

    /// A number of hundredths, without zeros at its end: "40%", "2.5%".
    package func percent(ofHundred number: Decimals) -> String { percentage(number.withoutTrailingZeros) }

    /// A fraction of 1 in tenths of a per cent.
    private static func tenths(_ fraction: Decimals) -> Int128 { fraction.padded(to: 3).rounded(to: 3).units }

    private func percent(tenths: Int128) -> String { percentage(Decimals(units: tenths, places: 1)) }

    private func percentage(_ number: Decimals) -> String {
        self.number(number.description, places: number.places, isPercent: true)
    }
}

extension Decimals {
    /// The same with fewer places, rounded half to even.
    package func rounded(to places: Int) -> Decimals {
        guard places < self.places else { return self }
        let divisor = Int128.ten(to: self.places - places)
        return Decimals(units: Decimals(wide: units, over: divisor, places: 0).units, places: places)
    }

    /// The number without zeros at the end: "12" of "12.0".
    package var withoutTrailingZeros: Decimals {
        var (units, places) = (units, places)
        while places > 0, units % 10 == 0 {
            units /= 10
            places -= 1
        }
        return Decimals(units: units, places: places)
    }
}
