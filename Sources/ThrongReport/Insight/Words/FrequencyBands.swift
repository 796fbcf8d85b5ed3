package import ThrongPlan

/// The words for the bands of a frequency: "once", "2 to 4 times", "5 times or more". Files keep the buckets' names.
package struct FrequencyBands: Sendable, Hashable {
    /// True if a band ends before its second number, as bands of a field do ("2-5" is 2 to 4), and not with it.
    private let endsBefore: Bool

    /// The bands of a frequency that counts identifiers, or else answers of devices.
    package init(counting counted: Counted) { endsBefore = counted != .identifiers }

    /// A band in words; a label that is none stays what it is.
    package func words(_ label: String, in locale: Language) -> String {
        if label == "<1" { return locale.say(.never) }
        if label.hasPrefix(">="), let least = Int64(label.dropFirst(2)) {
            return locale.say(.timesOrMore, ["count": least])
        }
        let ends = label.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        switch (ends.count, ends.first ?? nil, ends.last ?? nil) {
        case (1, let times?, _):
            return locale.say(.times, ["count": times])
        case (2, let first?, let second?):
            let last = endsBefore ? second - 1 : second
            return last == first
                ? locale.say(.times, ["count": first])
                : locale.say(.timesBetween, ["low": locale.text(first), "count": last])
        default:
            return label
        }
    }

    /// A band of values in words: "under 20 EUR", "20 to 50 EUR", "200 EUR or more"; a label that is none stays what it is.
    package static func values(_ label: String, unit: String = "", in locale: Language) -> String {
        func number(_ text: some StringProtocol) -> Decimals? { Decimals(String(text)) }
        func band(_ low: Decimals?, _ high: Decimals?) -> String {
            QuantileReading.band(from: low, to: high, in: locale, unit: unit)
        }
        if label.hasPrefix("<"), let high = number(label.dropFirst()) { return band(nil, high) }
        if label.hasPrefix(">="), let low = number(label.dropFirst(2)) { return band(low, nil) }
        let ends = label.split(separator: "-", omittingEmptySubsequences: false).map { number($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1] else { return label }
        return band(low, high)
    }
}

extension Language {
    /// Says a message about a span whose ends may be open: it chooses by `ends`.
    func span(
        _ low: String?, _ high: String?, _ message: Message = .span, finding: String = ""
    ) -> String {
        let ends = low == nil ? high == nil ? "none" : "high" : high == nil ? "low" : "both"
        return say(message, ["ends": ends, "low": low ?? "", "high": high ?? "", "finding": finding])
    }
}

extension QuantileReading {
    /// The band that holds it: "20 to 50", "under 20", "200 or more".
    package func band(in locale: Language, unit: String = "") -> String {
        Self.band(from: lowest, to: highest, in: locale, unit: unit)
    }

    /// A band, open where an end is nil.
    package static func band(
        from lowest: Decimals?, to highest: Decimals?, in locale: Language, unit: String = ""
    ) -> String {
        func amount(_ number: Decimals) -> String { Wording(locale).amount(number, unit: unit) }
        return locale.span(lowest.map(highest == nil ? amount : locale.text), highest.map(amount), .band)
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
