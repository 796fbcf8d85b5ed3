internal import ThrongPlan

extension Wording {
    /// The number without its unit: "12,480", "42%", "38.20", "≈12,300", "20 to 50".
    package func text(_ quantity: Quantity) -> String {
        switch quantity {
        case .share(let part, let whole, _): percent(part, of: whole, offBy: quantity.halfWidth)
        case .settled(let part, let whole): locale.percent(part, of: whole)
        case .mean, .drawn: quantity.shown.map(locale.text) ?? ""
        case .estimate(let estimate): about(estimate.decimal)
        case .quantile(let reading): reading.value.map(locale.text) ?? reading.band(in: locale)
        }
    }

    /// The number with its unit: "about 12,480 orders", "about 310 devices", "about 42%", "about 38.20 EUR".
    ///
    /// - Parameter unit: of the sum or the histogram, where this is a mean or a quantile.
    package func words(_ quantity: Quantity, unit: String = "") -> String {
        switch quantity {
        case .drawn(let number, let counts, _):
            "about \(text(quantity)) \(number == 1 ? noun(counts).one : noun(counts).many)"
        case .share: "about \(text(quantity))"
        case .settled: text(quantity)
        case .mean: "about " + (quantity.shown.map { amount($0, unit: unit) } ?? "")
        case .estimate(let estimate): "about \(locale.text(estimate.decimal)) \(noun(estimate.counts).many)"
        case .quantile(let reading):
            reading.value.map { "about \(amount($0, unit: unit)) (\(reading.band(in: locale)))" }
                ?? reading.band(in: locale, unit: unit)
        }
    }

    /// Returns the words beside a number that is written large: "orders, about", "of orders, about", "EUR per order,
    /// about".
    package func unit(beside quantity: Quantity, of counted: Counted, unit: String) -> String {
        switch quantity {
        case .drawn(_, let counts, _): "\(noun(counts).many), about"
        case .estimate(let estimate): "\(noun(estimate.counts).many), estimated"
        case .share: "of \(noun(counted).many), about"
        case .settled: "of \(noun(counted).many)"
        case .mean: "\(unit.isEmpty ? "" : "\(unit) ")per \(noun(counted).one), about"
        case .quantile: unit
        }
    }

    /// The heading of a column of devices.
    package static func heading(devices: NumberBasis.Devices?) -> String {
        switch devices {
        case nil, .answers, .window, .proved: "Devices"
        case .firsts: "Devices (as they say)"
        }
    }

    /// A number as a part of the whole, where that is published: "about 8,410 of about 24,610 orders (34.2%)".
    package func part(_ quantity: Quantity, of whole: Quantity?, unit: String = "") -> String {
        guard let part = quantity.amount, let whole, let all = whole.amount, all > 0 else {
            return words(quantity, unit: unit)
        }
        let about = if case .drawn = quantity { "about " } else { "" }
        return "\(about)\(text(quantity)) of \(words(whole, unit: unit)) (\(share(quantity, part, of: all)))"
    }

    /// A superlative: "“Phone” is the largest, with …"; "Of the groups shown, “Phone” is the largest, with …" where
    /// something that is withheld may be larger.
    package static func superlative(_ sentence: String, isSure: Bool) -> String {
        isSure ? sentence : "Of the groups shown, \(sentence)"
    }

    /// "the numbers shown lie between about 5 and about 9": extremes may be noise, and no period is said to be one.
    package static func range(from low: String, to high: String) -> String {
        "the numbers shown lie between about \(low) and about \(high)."
    }

    /// Returns the sentence about the total that a number of a sample stands for: "At a sampling rate of 0.25 that
    /// stands for about 400 events: 95% interval 284 to 474."
    package func standsFor(_ estimate: Estimate, _ interval: Interval) -> String {
        """
        At a sampling rate of \(locale.text(Decimals(exactly: estimate.rate))) that stands for \
        \(words(.estimate(estimate))): \(Self.interval) \(span(interval)).
        """
    }

    /// The sentence behind a description of a drawing.
    package static let alsoInTable = "The table has the same numbers."
}
