internal import ThrongPlan

/// Words for margins: numbers are rounded to what their margins carry.
extension Wording {
    /// Returns the words for a margin: "off by at most 12 in 19 of 20 cases".
    package func off(by margin: Decimals) -> String { "off by at most \(locale.text(margin)) \(Self.usually)" }

    /// A sentence and how far off its number may be: "About 1,410 orders; off by at most 12 in 19 of 20 cases."
    package func sentence(_ sentence: String, offBy margin: Decimals) -> String {
        Self.sentence(sentence, with: off(by: margin))
    }

    /// A sentence with something behind its last word.
    package static func sentence(_ sentence: String, with addition: String) -> String {
        "\(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence); \(addition)."
    }

    /// The words for the share of cases in which a margin or an interval holds.
    package static let usually = "in 19 of 20 cases"

    /// Returns the words for the interval of a quotient: "between 9% and 15% in 19 of 20 cases", "at least 9% in 19 of
    /// 20 cases".
    package func range(_ interval: Interval, isShare: Bool, unit: String = "") -> String {
        let (low, high) = interval.ends
        let scale = isShare ? 100.0 : 1
        let width = (high - low) / 2 * scale
        func end(_ value: Double, _ rule: FloatingPointRoundingRule) -> String {
            let rounded = Decimals(value * scale, rounded: rule, toFirstDigitOf: width.isFinite ? width / 2.5 : 1)
            return isShare ? locale.percent(ofHundred: rounded) : amount(rounded, unit: unit)
        }
        switch (low.isFinite, high.isFinite) {
        case (true, true) where isShare && low <= 0 && high >= 1, (false, false): return "its margin leaves it open"
        case (true, true): return "between \(end(low, .down)) and \(end(high, .up)) \(Self.usually)"
        case (true, false): return "at least \(end(low, .down)) \(Self.usually)"
        case (false, true): return "at most \(end(high, .up)) \(Self.usually)"
        }
    }

    /// A number that was drawn as a part of another: "34%", "34.2%"; all of it where noise made it more.
    package func share(_ quantity: Quantity, _ part: Int64, of whole: Int64) -> String {
        let part = min(part, whole)
        guard let within = quantity.within else { return locale.percent(part, of: whole) }
        return percent(part, of: whole, offBy: Double(within) / Double(whole))
    }

    /// Part over whole, to the digit that noise leaves; tenths of a per cent at most.
    ///
    /// - Parameter width: half of the interval's, as a fraction of 1.
    func percent(_ part: Int64, of whole: Int64, offBy width: Double) -> String {
        guard width >= 0.01 else { return locale.percent(part, of: whole) }
        let hundredths = Decimals(part, over: whole, places: Quantity.sharePlaces)
        let rounded = Decimals(units: hundredths.units, places: Quantity.sharePlaces - 2)
            .rounded(toFirstDigitOf: min(width, 0.5) * 100).rounded(to: 1)
        return rounded.units == 0 ? locale.percent(part, of: whole) : locale.percent(ofHundred: rounded)
    }

    /// A term of a quotient, rounded to what its noise leaves.
    package func term(_ number: Int64, variance: Double) -> String {
        let spread = variance.squareRoot() * Interval.z
        return locale.text(Decimals(number, over: 1, places: 0).rounded(toFirstDigitOf: spread))
    }

    /// Returns the sentence for several rows any of which may be the largest: "“A” and “B” are too close to tell which
    /// is the largest: about 320 and about 310 orders."
    package func undecided(_ leaders: [(label: String, number: String)], _ what: String) -> String {
        let words = "are too close to tell which \(what)"
        guard leaders.count <= 3 else { return "\(number(leaders.count)) of these \(words)." }
        return "\(leaders.map { "“\($0.label)”" }.listed) \(words): \(leaders.map(\.number).listed)."
    }
}

extension Quantity {
    /// Half of the interval's width, of a quotient, in its own unit; without end where nothing bounds it.
    var halfWidth: Double {
        guard let (part, whole, noise) = drawnQuotient else { return 0 }
        let (low, high) = Fieller(part, over: whole, noise: noise).hull(from: -.infinity, to: .infinity)
        return (high - low) / 2
    }

    /// The number as people read it: rounded to the first digit of its margin.
    var shown: Decimals? {
        switch self {
        case .drawn(_, _, let within): decimal?.rounded(toFirstDigitOf: Double(within ?? 0))
        case .mean: decimal?.rounded(toFirstDigitOf: halfWidth)
        default: decimal
        }
    }
}
