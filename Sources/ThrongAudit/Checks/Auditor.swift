/// Looks at everything that was published, as somebody who receives all of it could, and says what it tells.
package struct Auditor {
    private let options: AuditOptions

    package init(options: AuditOptions = AuditOptions()) { self.options = options }

    /// Looks at numbers, files and laws.
    ///
    /// - Complexity: O(numbers² of one period) for combinations of two; the rest is linear, apart from sorting.
    package func audit(_ given: AuditInput) -> AuditReport {
        let clock = ContinuousClock.now
        var input = given
        input.readTables(app: Set(input.metrics.values.map(\.app) + input.numbers.map(\.app)).sorted().first)
        let known = input.known
        input.metrics = input.metrics.mapValues { $0.beside(known) }
        var report = AuditReport()
        report.sources = input.sources.sorted { $0.name < $1.name }
        report.unexamined = input.unread
        report.cost = Dictionary(grouping: input.costs, by: { $0.key.split(separator: " ").last ?? "" })
            .values.map { $0.reduce(0) { $0 + $1.value } }.max()
        let numbers = unique(input.numbers, &report)
        let examination = Examination(numbers, input, &report)
        examination.checkEqual(&report)
        examination.checkSums(&report)
        examination.checkMargins(&report)
        examination.checkThresholds(&report)
        examination.checkDays(&report)
        examination.checkScatter(&report)
        examination.checkRelations(&report)
        examination.checkCombinations(&report, options)
        checkPages(input, &report)
        let parts = (ContinuousClock.now - clock).components
        report.seconds = Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
        return report
    }

    /// Returns each meaning once; files that state it differently are a finding.
    private func unique(_ numbers: [AuditNumber], _ report: inout AuditReport) -> [AuditNumber] {
        var first: [String: Int] = [:]
        var kept: [AuditNumber] = []
        for number in numbers {
            guard let place = first[number.meaning] else {
                first[number.meaning] = kept.count
                kept.append(number)
                continue
            }
            let before = kept[place]
            report.repeated += 1
            if before.value != number.value {
                report.find(
                    .equal, number.text,
                    "\(number.source) says so, and \(before.source) \(AuditText.number(before.value))")
            }
            if before.margin == nil, number.margin != nil { kept[place] = number }
        }
        report.numbers = kept.count
        return kept
    }

    private func checkPages(_ input: AuditInput, _ report: inout AuditReport) {
        var alone: Set<String> = []
        for page in input.pages where !page.numbers.isEmpty {
            guard let literals = input.literals[AuditInput.stem(page.source)] else {
                alone.insert(page.source)
                continue
            }
            let sorted = literals.sorted()
            for (value, step) in page.numbers {
                report.pages += 1
                var (low, high) = (0, sorted.count)
                while low < high {
                    let middle = (low + high) / 2
                    if sorted[middle] < value - step / 2 - 1e-9 { low = middle + 1 } else { high = middle }
                }
                guard low == sorted.count || sorted[low] > value + step / 2 + 1e-9 else { continue }
                report.find(
                    .page, "\(page.source), \(page.title)",
                    "it has \(AuditText.number(value)), which no file of the same report rounds to")
            }
        }
        for source in alone.sorted() {
            report.unexamined.append("\(source): a page without JSON or CSV beside it, whose numbers may be rounded")
        }
    }
}

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
