package import ThrongInsight
package import ThrongPlan

extension Quantity {
    /// The number as people read it, without its unit: "12,480", "42.1%", "38.20", "≈12,300", "20 to 50".
    func figureText(in locale: ReportLocale) -> String {
        switch self {
        case .share(let part, let whole), .settled(let part, let whole): locale.percent(part, of: whole)
        case .events(let number), .devices(let number), .said(let number), .identifiers(let number): locale.text(number)
        case .mean: decimal.map(locale.text) ?? ""
        case .estimate(let estimate): "\u{2248}\(locale.text(estimate.decimal))"
        case .quantile(let reading): reading.value.map(locale.text) ?? reading.band(in: locale)
        }
    }

    /// The number with its unit: "12,480 events", "at least 310 devices", "42.1%", "38.20 EUR", "about 12,300 events".
    ///
    /// - Parameter unit: of the sum or the histogram, where this is a mean or a quantile.
    func words(unit: String, in locale: ReportLocale) -> String {
        let text = figureText(in: locale)
        return switch self {
        case .events: "\(text) events"
        case .devices: "at least \(text) devices"
        case .said: "\(text) devices"
        case .identifiers: "\(text) identifiers"
        case .share, .settled: text
        case .mean: unit.isEmpty ? text : "\(text) \(unit)"
        case .estimate(let estimate): "about \(locale.text(estimate.decimal)) \(estimate.counts.rawValue)"
        case .quantile(let reading):
            reading.value.map {
                "about \(locale.text($0))\(unit.isEmpty ? "" : " \(unit)") (\(reading.band(in: locale)))"
            } ?? reading.band(in: locale, unit: unit)
        }
    }
}

extension QuantileReading {
    /// The band that holds it: "20 to 50", "under 20", "200 or more".
    func band(in locale: ReportLocale, unit: String = "") -> String {
        Self.band(from: lowest, to: highest, in: locale, unit: unit)
    }

    /// A band, open where an end is nil.
    package static func band(
        from lowest: Decimals?, to highest: Decimals?, in locale: ReportLocale, unit: String = ""
    ) -> String {
        let unit = unit.isEmpty ? "" : " \(unit)"
        return switch (lowest.map(locale.text), highest.map(locale.text)) {
        case (let low?, let high?): "\(low) to \(high)\(unit)"
        case (nil, let high?): "under \(high)\(unit)"
        case (let low?, nil): "\(low)\(unit) or more"
        case (nil, nil): "any"
        }
    }

    /// "Median", "90% stay below".
    static func name(of quantile: Quantile, in locale: ReportLocale) -> String {
        quantile == .median ? "Median" : "\(locale.percent(of: quantile)) stay below"
    }

    /// The same for what a row of a table is called, such as 0.9; nil where that is no quantile.
    package static func name(ofRow bucket: String, in locale: ReportLocale) -> String? {
        guard let perMille = Double(bucket).flatMap({ Int(exactly: ($0 * 1000).rounded()) }),
            (1...999).contains(perMille)
        else { return nil }
        return name(of: Quantile(perMille: perMille), in: locale)
    }
}
