internal import ThrongPlan

/// What a number is.
extension Wording {
    /// The number without its unit: "12,480", "42.1%", "38.20", "≈12,300", "20 to 50".
    package func text(_ quantity: Quantity) -> String {
        switch quantity {
        case .share(let part, let whole, _):
            quantity.drawnQuotient == nil
                ? locale.percent(part, of: whole) : percent(part, of: whole, offBy: quantity.halfWidth)
        case .settled(let part, let whole): locale.percent(part, of: whole)
        case .events(let number), .devices(let number), .said(let number), .identifiers(let number):
            locale.text(number)
        case .mean, .drawn: quantity.shown.map(locale.text) ?? ""
        case .estimate(let estimate): about(estimate.decimal)
        case .quantile(let reading): reading.value.map(locale.text) ?? reading.band(in: locale)
        }
    }

    /// The number with its unit: "12,480 events", "at least 310 devices", "42.1%", "38.20 EUR", "about 12,300 events",
    /// "about 42%".
    ///
    /// - Parameter unit: of the sum or the histogram, where this is a mean or a quantile.
    package func words(_ quantity: Quantity, unit: String = "") -> String {
        switch quantity {
        case .events(let number): count(number, "event")
        case .devices(let number): "at least \(count(number, "device"))"
        case .said(let number): count(number, "device")
        case .identifiers(let number): count(number, "identifier")
        case .drawn(let number, let counts, _): "about \(text(quantity)) \(number == 1 ? counts.one : counts.rawValue)"
        case .share, .settled: about(quantity) + text(quantity)
        case .mean: about(quantity) + (quantity.shown.map { amount($0, unit: unit) } ?? "")
        case .estimate(let estimate): "about \(locale.text(estimate.decimal)) \(estimate.counts.rawValue)"
        case .quantile(let reading):
            reading.value.map { "about \(amount($0, unit: unit)) (\(reading.band(in: locale)))" }
                ?? reading.band(in: locale, unit: unit)
        }
    }

    /// What stands beside a number that is written large: "events", "devices, at least", "EUR per event".
    package func unit(beside quantity: Quantity, of counted: Counted, unit: String) -> String {
        switch quantity {
        case .events: "events"
        case .devices: "devices, at least"
        case .said: "devices"
        case .identifiers: "identifiers"
        case .drawn(_, let counts, _): "\(counts.rawValue), about"
        case .estimate(let estimate): "\(estimate.counts.rawValue), estimated"
        case .share, .settled: "of \(counted.rawValue)" + (quantity.drawnQuotient == nil ? "" : ", about")
        case .mean:
            (unit.isEmpty ? "per event" : "\(unit) per event") + (quantity.drawnQuotient == nil ? "" : ", about")
        case .quantile: unit
        }
    }

    private func about(_ quantity: Quantity) -> String { quantity.drawnQuotient == nil ? "" : "about " }

    /// The heading of a column of devices.
    package static func heading(devices: NumberBasis.Devices?) -> String {
        switch devices {
        case nil, .answers, .drawn: "Devices"
        case .floor, .proved: "Devices (at least)"
        case .firsts: "Devices (as they say)"
        }
    }

    /// A number that was counted or drawn, in a sentence: "1,410 events were counted.", "About 310 devices."; nil for
    /// numbers that were computed.
    package func counted(_ quantity: Quantity) -> String? {
        switch quantity {
        case .events(let number): "\(words(quantity)) \(number == 1 ? "was" : "were") counted."
        case .identifiers(let number):
            "\(words(quantity)) \(number == 1 ? "was" : "were") counted, each once a window."
        case .devices(let number):
            "\(words(quantity).sentenceCased) \(number == 1 ? "was" : "were") seen within one window."
        case .said: "\(words(quantity)), as they say themselves."
        case .drawn: "\(words(quantity).sentenceCased)."
        case .share, .settled, .mean, .estimate, .quantile: nil
        }
    }

    /// A number as a part of the whole, where that is published: "8,412 of 24,606 events (34.2%)".
    package func part(_ quantity: Quantity, of whole: Quantity?, unit: String = "") -> String {
        guard let part = quantity.amount, let whole, let all = whole.amount, all > 0 else {
            return words(quantity, unit: unit)
        }
        let about = if case .drawn = quantity { "about " } else { "" }
        return "\(about)\(text(quantity)) of \(words(whole, unit: unit)) (\(share(quantity, part, of: all)))"
    }

    /// "“Phone” is the largest published group, with 8,412 of 24,606 events (34.2%)."
    ///
    /// - Parameter period: in which, where there are several.
    package static func largest(_ group: String, in period: String? = nil, with part: String) -> String {
        "“\(group)”\(period.map { " (\($0))" } ?? "") is the largest published group, with \(part)."
    }

    /// "the published numbers lie between 5 (21 Nov) and 9 (23 Nov)."
    package static func range(from low: (number: String, period: String), to high: (number: String, period: String))
        -> String
    {
        "the published numbers lie between \(low.number) (\(low.period)) and \(high.number) (\(high.period))."
    }

    /// What a number of a sample stands for: "At a sampling rate of 0.25 that stands for about 400 events: 95% interval
    /// 284 to 474."
    package func standsFor(_ estimate: Estimate, _ interval: Interval) -> String {
        """
        At a sampling rate of \(locale.text(Decimals(exactly: estimate.rate))) that stands for \
        \(words(.estimate(estimate))): \(Self.interval) \(span(interval)).
        """
    }

    /// Behind a description of a drawing.
    package static let alsoInTable = "The table has the same numbers."
}
