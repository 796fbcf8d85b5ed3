package struct AuditOptions: Sendable {
    /// The most numbers of one period that are combined, 2 to 4, each once, added or subtracted.
    package var size = 2
    /// The most combinations of each size that are examined in all.
    package var limit = 20_000_000
    /// The combinations to estimate as well.
    package var combinations: [AuditCombination] = []
    /// True if the estimate of every number is listed.
    package var listsEstimates = false

    package init() {}
}

/// A combination of published numbers, in the form that people write: terms with semicolons between, each a
/// coefficient, a metric, a measure, a period and buckets, such as "1 visits devices 2026-11-21 os=ios; -1 visits
/// devices 2026-11-20 os=ios".
package struct AuditCombination: Sendable {
    let text: String
    let terms: [Term]

    /// A number and its coefficient.
    struct Term: Sendable {
        let coefficient: Double
        let metric: String
        let measure: AuditMeasure
        let period: AuditPeriod
        let buckets: [String: Set<String>]
    }

    /// Reads a combination; nil if it has another form.
    package init?(_ text: String) {
        var terms: [Term] = []
        for part in text.split(separator: ";") {
            let words = part.split(separator: " ").map(String.init)
            guard words.count >= 4, let coefficient = Double(words[0]) else { return nil }
            // A bucket's name may have spaces.
            var places: [String] = []
            for word in words[4...] {
                if word.contains("=") {
                    places.append(word)
                } else if let last = places.popLast() {
                    places.append("\(last) \(word)")
                } else {
                    return nil
                }
            }
            var buckets: [String: Set<String>] = [:]
            for place in places {
                let sides = place.split(separator: "=", maxSplits: 1).map(String.init)
                guard sides.count == 2 else { return nil }
                buckets[sides[0]] = Set(sides[1].split(separator: "+").map(String.init))
            }
            let measure: AuditMeasure =
                words[2] == "devices" ? .devices : words[2] == "events" ? .events : .sum(words[2])
            terms.append(
                Term(
                    coefficient: coefficient, metric: words[1], measure: measure, period: AuditPeriod(words[3]),
                    buckets: buckets))
        }
        guard !terms.isEmpty else { return nil }
        (self.text, self.terms) = (text, terms)
    }
}
