internal import ThrongPlan

/// Words for margins: numbers are rounded to what their margins carry.
extension Wording {
    /// Returns the words for a margin: "off by at most 12 in 19 of 20 cases".
    package func off(by margin: Decimals) -> String { locale.say(.offBy, ["margin": locale.text(margin)]) }

    /// A finding as a sentence that says how far off its number may be: "About 1,410 orders; off by at most 12 in 19 of 20
    /// cases."
    package func sentence(_ finding: String, offBy margin: Decimals) -> String {
        locale.say(.findingOff, ["finding": finding, "margin": locale.text(margin)])
    }

    /// A finding as a sentence that says where its quotient, or the difference that it tells, lies: "…; between 9% and 15% in
    /// 19 of 20 cases."
    ///
    /// - Parameter scale: what an end is multiplied by before it is written.
    func sentence(
        _ finding: String, within interval: Interval, isShare: Bool, scale: Double = 1,
        _ message: Message = .findingRange, _ write: (Decimals) -> String
    ) -> String {
        let (low, high) = interval.ends
        let told = isShare && low <= 0 && high >= 1 ? Interval(low: nil, high: nil) : interval.told(times: scale)
        return locale.span(told.low.map(write), told.high.map(write), message, finding: finding)
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

    /// Returns the finding for several rows any of which may be the largest: "“A” and “B” are too uncertain to tell which
    /// is the largest: about 320 and about 310 orders".
    package func undecided(_ leaders: [(label: String, number: String)], _ what: Superlative) -> String {
        guard leaders.count <= 3 else {
            return locale.say(.tooCloseMany, ["count": leaders.count, "kind": what.rawValue])
        }
        return locale.say(
            .tooClose,
            [
                "groups": locale.list(leaders.map { quoted($0.label) }), "kind": what.rawValue,
                "numbers": locale.list(leaders.map(\.number)),
            ])
    }

    func quoted(_ label: String) -> String { locale.say(.quoted, ["text": label]) }

    /// The ways in which one row stands above others.
    package enum Superlative: String, Sendable { case largest, frequent, share, mean, lead }
}

extension Quantity {
    /// Half of the interval's width, of a quotient, in its own unit; without end where nothing bounds it.
    var halfWidth: Double {
        guard let (part, whole, noise) = drawnQuotient else { return 0 }
        let (low, high) = Fieller(part, over: whole, noise: noise).hull(from: -.infinity, to: .infinity)
        return (high - low) / 2
    }

    /// A number that groups leave of a whole is rounded as the whole is: no margin of it is told, and the whole's is no wider.
    func rounded(like whole: Quantity?) -> Quantity {
        guard case .drawn(let number, let counts, nil) = self, let within = whole?.within else { return self }
        return .drawn(number, of: counts, within: within)
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
