package import ThrongPlan

extension Wording {
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
