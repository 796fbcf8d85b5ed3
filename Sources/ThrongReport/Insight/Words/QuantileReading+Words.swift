package import ThrongPlan

extension QuantileReading {
    /// The band that holds it: "20 to 50", "under 20", "200 or more".
    package func band(in locale: ReportLocale, unit: String = "") -> String {
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

    /// "Half were under", "90% were under".
    package static func name(of quantile: Quantile, in locale: ReportLocale) -> String {
        "\(quantile == .median ? "Half" : locale.percent(of: quantile)) were under"
    }

    /// The same for what a row of a table is called, such as 0.9; nil where that is no quantile.
    package static func name(ofRow bucket: String, in locale: ReportLocale) -> String? {
        guard let perMille = Double(bucket).flatMap({ Int(exactly: ($0 * 1000).rounded()) }),
            (1...999).contains(perMille)
        else { return nil }
        return name(of: Quantile(perMille: perMille), in: locale)
    }
}
