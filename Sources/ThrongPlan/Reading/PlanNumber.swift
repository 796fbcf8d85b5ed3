enum PlanNumber {
    /// Returns a number without a trailing ".0": 10, 0.5.
    static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns a whole number with a comma between thousands: 20,000.
    static func text(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        return (number < 0 ? "-" : "") + grouped
    }
}

extension Duration {
    private static let units: [(name: String, seconds: Int64)] = [
        ("week", 604_800), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]

    /// Reads "15 minutes" or "400 days", in seconds to weeks; nil for any other shape, and for over 100 years.
    package init?(planText text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...10).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (48...57).contains($0) }), let count = Int64(parts[0]),
            let unit = Self.units.first(where: { $0.name == parts[1] || $0.name + "s" == parts[1] })
        else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit.seconds)
        guard !overflow, seconds <= 36_525 * 86_400 else { return nil }
        self = .seconds(seconds)
    }

    /// The duration in the largest unit that leaves no rest, but days rather than weeks: "15 minutes", "400 days".
    package var planText: String {
        let seconds = components.seconds
        for unit in Self.units.dropFirst() where seconds % unit.seconds == 0 && seconds != 0 {
            let count = seconds / unit.seconds
            return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}
