package import ThrongPlan

/// The one writer of words about numbers: reports, explorer, portal and command line say one thing in one way.
package struct Wording: Sendable, Hashable {
    package let locale: Language
    /// The words for what is counted where that is not devices; nil for pages of analysts and commands.
    private let noun: Noun?

    /// The wording for pages and commands that have no reader of their own.
    package static let english = Wording(.english)

    package init(_ locale: Language, of noun: Noun? = nil) { (self.locale, self.noun) = (locale, noun) }

    /// The words for one and several of what is counted: the plan's, or else those of counters.
    package func noun(_ counted: Counted) -> Noun {
        if counted != .devices, let noun { return noun }
        return Noun(one: noun(counted, of: 1), many: noun(counted, of: nil))
    }

    /// The word for so many of what is counted, or for any number of it.
    package func noun(_ counted: Counted, of count: Int64?) -> String {
        if counted != .devices, let noun { return count == 1 ? noun.one : noun.many }
        let word: Message =
            switch counted {
            case .events: .event
            case .devices: .device
            case .identifiers: .identifier
            }
        return locale.say(word, ["count": count ?? Noun.several])
    }

    package func number(_ number: Int) -> String { locale.text(Int64(number)) }

    /// "1 device", "1,234 devices".
    package func count(_ number: Int64, _ noun: String) -> String {
        "\(locale.text(number)) \(number == 1 ? noun : noun + "s")"
    }

    /// "1 metric", "2 metrics".
    package func count(_ number: Int, _ noun: String) -> String { count(Int64(number), noun) }

    /// "1,234.50 EUR"; without a unit the number alone.
    package func amount(_ number: Decimals, unit: String) -> String {
        let text = locale.text(number)
        return unit.isEmpty ? text : locale.say(.amount, ["number": text, "unit": unit])
    }

    /// A number that was scaled up from a sample, in a table: "≈12,300".
    package func about(_ number: Decimals) -> String { "\u{2248}\(locale.text(number))" }

    /// "1,020 to 1,455", "40.1% to 42.0%", "40.1% or more", where nothing bounds it above.
    package func span(_ interval: Interval, isShare: Bool = false) -> String {
        func text(_ number: Decimals) -> String { isShare ? locale.percent(number) : locale.text(number) }
        return locale.span(interval.low.map(text), interval.high.map(text))
    }

    /// A difference with its sign: "+1,204", of shares "+1.3 points".
    package func difference(_ difference: Decimals, isShare: Bool) -> String {
        isShare ? locale.signedPoints(difference) : locale.signed(difference)
    }

    /// A size in the unit that leaves two to four digits, which is bytes at least: "9,999 B", "12 kB", "1,024 MB".
    package func size(_ bytes: Int) -> String {
        var (number, unit) = (bytes, "B")
        for next in ["kB", "MB", "GB"] where number >= 10_000 { (number, unit) = ((number + 500) / 1000, next) }
        return "\(self.number(number)) \(unit)"
    }

    /// "8 days".
    package func periods(_ count: Int, _ kind: PeriodKind) -> String {
        locale.say(.periods, ["count": count, "kind": kind.rawValue])
    }

    /// A length of time in whole units, two of them at least: "119 seconds", "2 minutes", "47 hours".
    package func roughly(seconds: Int64) -> String {
        switch seconds {
        case ..<120: count(seconds, "second")
        case ..<7200: count(seconds / 60, "minute")
        case ..<172_800: count(seconds / 3600, "hour")
        default: count(seconds / 86_400, "day")
        }
    }

    /// The number without its unit: "12,480", "42%", "38.20", "≈12,300", "20 to 50".
    package func text(_ quantity: Quantity) -> String {
        switch quantity {
        case .share(let part, let whole, _): percent(part, of: whole, offBy: quantity.halfWidth)
        case .settled(let part, let whole): locale.percent(part, of: whole)
        case .mean, .drawn: quantity.shown.map(locale.text) ?? ""
        case .estimate(let estimate): about(estimate.decimal)
        case .quantile(let reading): reading.shown.map(locale.text) ?? reading.band(in: locale)
        }
    }

    /// The number with its unit: "about 12,480 orders", "about 310 devices", "about 42%", "about 38.20 EUR".
    ///
    /// - Parameter unit: of the sum or the histogram, where this is a mean or a quantile.
    package func words(_ quantity: Quantity, unit: String = "") -> String {
        func about(_ number: String) -> String { locale.say(.about, ["number": number]) }
        func counted(_ number: String, _ count: Int64?, _ counts: Counted) -> String {
            locale.say(.aboutCounted, ["number": number, "noun": noun(counts, of: count)])
        }
        return switch quantity {
        case .drawn(let number, let counts, _): counted(text(quantity), number, counts)
        case .share: about(text(quantity))
        case .settled: text(quantity)
        case .mean: about(quantity.shown.map { amount($0, unit: unit) } ?? "")
        case .estimate(let estimate): counted(locale.text(estimate.decimal), nil, estimate.counts)
        case .quantile(let reading):
            reading.shown.map {
                locale.say(.aboutInBand, ["number": amount($0, unit: unit), "band": reading.band(in: locale)])
            } ?? reading.band(in: locale, unit: unit)
        }
    }

    /// Returns the words beside a number that is written large: "orders, about", "of orders, about", "EUR per order,
    /// about".
    package func unit(beside quantity: Quantity, of counted: Counted, unit: String) -> String {
        let noun = self.noun(counted)
        return switch quantity {
        case .drawn(_, let counts, _): locale.say(.unitAbout, ["noun": self.noun(counts).many])
        case .estimate(let estimate): locale.say(.unitEstimated, ["noun": self.noun(estimate.counts).many])
        case .share: locale.say(.unitShare, ["noun": noun.many])
        case .settled: locale.say(.unitSettled, ["noun": noun.many])
        case .mean: locale.say(.unitMean, ["hasUnit": !unit.isEmpty, "unit": unit, "one": noun.one])
        case .quantile: unit
        }
    }

    /// The heading of a column of devices.
    package static func heading(devices: NumberBasis.Devices?, in locale: Language = .english) -> String {
        switch devices {
        case nil, .answers, .window, .proved: locale.say(.headDevices, ["isSample": false])
        case .firsts: locale.say(.headDevicesSaid)
        }
    }

    /// A number as a part of the whole, where that is published: "about 8,410 of about 24,610 orders (34.2%)".
    package func part(_ quantity: Quantity, of whole: Quantity?, unit: String = "") -> String {
        guard let part = quantity.amount, let whole, let all = whole.amount, all > 0 else {
            return words(quantity, unit: unit)
        }
        let quantity = quantity.rounded(like: whole)
        let text = text(quantity)
        let number = if case .drawn = quantity { locale.say(.about, ["number": text]) } else { text }
        return locale.say(
            .partOf, ["number": number, "whole": words(whole, unit: unit), "share": share(quantity, part, of: all)])
    }

    /// A finding with a superlative: "“Phone” is the largest, with …"; "Of the groups shown, “Phone” is the largest, with …"
    /// where something that is withheld may be larger.
    package func superlative(_ finding: String, isSure: Bool) -> String {
        isSure ? finding : locale.say(.amongShown, ["finding": finding])
    }

    /// Returns the sentence about the total that a number of a sample stands for: "At a sampling rate of 0.25 that
    /// stands for about 400 events: 95% interval 284 to 474."
    package func standsFor(_ estimate: Estimate, _ interval: Interval) -> String {
        let number = words(.estimate(estimate))
        return locale.say(
            .standsFor,
            ["rate": locale.text(Decimals(exactly: estimate.rate)), "number": number, "span": span(interval)])
    }

    // Words for margins: numbers are rounded to what their margins carry.

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

extension Noun {
    /// A number that has the form of any number, where a language has more than two.
    static let several: Int64 = 5
}

extension [String] {
    /// "a", "a and b", "a, b and c".
    package var listed: String {
        count < 2 ? (first ?? "") : dropLast().joined(separator: ", ") + " and " + (last ?? "")
    }
}

extension String { package var sentenceCased: String { prefix(1).uppercased() + dropFirst() } }

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

extension QuantileReading {
    /// The band that holds it: "20 to 50", "under 20", "200 or more".
    package func band(in locale: Language, unit: String = "") -> String {
        locale.band(from: lowest.map(locale.text), to: highest.map(locale.text), unit: unit)
    }

    /// The value as people read it, to the first digit of a tenth of its band's width: where it lies inside is not known.
    package var shown: Decimals? {
        let width = (highest?.approximate ?? 0) - (lowest?.approximate ?? 0)
        return value?.rounded(toFirstDigitOf: width / 10)
    }

    /// "Half were under", "90% were under".
    package static func name(of quantile: Quantile, in locale: Language) -> String {
        locale.say(.rowUnder, ["isHalf": quantile == .median, "share": locale.percent(of: quantile)])
    }

    /// The same for what a row of a table is called, such as 0.9; nil where that is no quantile.
    package static func name(ofRow bucket: String, in locale: Language) -> String? {
        guard let perMille = Double(bucket).flatMap({ Int(exactly: ($0 * 1000).rounded()) }),
            (1...999).contains(perMille)
        else { return nil }
        return name(of: Quantile(perMille: perMille), in: locale)
    }
}

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
        while places > 0, units % 10 == 0 { (units, places) = (units / 10, places - 1) }
        return Decimals(units: units, places: places)
    }
}
