package import ThrongPlan

/// The words for the bands of a frequency: "once", "2 to 4 times", "5 times or more". Files keep the buckets' names.
package struct FrequencyBands: Sendable, Hashable {
    /// True if a band ends before its second number, as bands of a field do ("2-5" is 2 to 4), and not with it.
    private let endsBefore: Bool

    /// The bands of a frequency that counts identifiers, or else answers of devices.
    package init(counting counted: Counted) { endsBefore = counted != .identifiers }

    /// A band in words; a label that is none stays what it is.
    package func words(_ label: String, in locale: ReportLocale) -> String {
        if label == "<1" { return "never" }
        if label.hasPrefix(">="), let least = Int64(label.dropFirst(2)) {
            return "\(Self.times(least, in: locale)) or more"
        }
        let ends = label.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        switch (ends.count, ends.first ?? nil, ends.last ?? nil) {
        case (1, let times?, _):
            return Self.times(times, in: locale)
        case (2, let first?, let second?):
            let last = endsBefore ? second - 1 : second
            return last == first
                ? Self.times(first, in: locale) : "\(locale.text(first)) to \(Self.times(last, in: locale))"
        default:
            return label
        }
    }

    /// A band of values in words: "under 20", "20 to 50", "200 or more"; a label that is none stays what it is.
    package static func values(_ label: String, in locale: ReportLocale) -> String {
        func number(_ text: some StringProtocol) -> String? { Decimals(String(text)).map(locale.text) }
        if label.hasPrefix("<"), let high = number(label.dropFirst()) { return "under \(high)" }
        if label.hasPrefix(">="), let low = number(label.dropFirst(2)) { return "\(low) or more" }
        let ends = label.split(separator: "-", omittingEmptySubsequences: false).map { number($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1] else { return label }
        return "\(low) to \(high)"
    }

    private static func times(_ number: Int64, in locale: ReportLocale) -> String {
        number == 1 ? "once" : "\(locale.text(number)) times"
    }
}
