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

/// The published numbers whose noise is known, and checks of each number and of its repetitions.
struct Examination {
    let numbers: [AuditNumber]
    let laws: [NumberLaw]
    let metrics: [AuditMetric]
    let estimator: Estimator

    /// Works out the laws; numbers that have none are counted as not examined.
    init(_ all: [AuditNumber], _ input: AuditInput, _ report: inout AuditReport) {
        var (numbers, laws, metrics): ([AuditNumber], [NumberLaw], [AuditMetric]) = ([], [], [])
        var left: [String: Int] = [:]
        for number in all {
            let known = input.metric(of: number)
            let isOpen = known?.isBoundOpen ?? false && number.measure != .devices
            guard let metric = known, !isOpen, let law = metric.law(of: number) else {
                let none = known == nil ? "which no given plan has" : "by a field or bucket that no given plan has"
                let why = isOpen ? "under a bound that only reports in JSON say, or several" : none
                left["\(number.app)/\(number.metric), \(why)", default: 0] += 1
                continue
            }
            numbers.append(number)
            laws.append(law)
            metrics.append(metric)
        }
        report.unexamined += left.sorted { $0.key < $1.key }.map { "\($0.value) numbers of \($0.key)" }
        (self.numbers, self.laws, self.metrics) = (numbers, laws, metrics)
        estimator = Estimator(
            numbers, laws,
            events: metrics.map { metric in
                metric.countsIdentifiers
                    ? nil : metric.events.map { events in Set(events.map { "\($0) of \(metric.crowd)" }) }
            })
        report.examined = numbers.count
    }

    /// Checks that two metrics that ask one question give one answer, apart from rounding.
    func checkEqual(_ report: inout AuditReport) {
        var first: [String: Int] = [:]
        for place in numbers.indices {
            let law = laws[place]
            let key = "\(law.question) | \(law.period.label) | \(law.fresh) | \(law.place)"
            guard let before = first[key] else {
                first[key] = place
                continue
            }
            report.repeated += 1
            // Each metric makes numbers whole by the groupings that it has, and says how far that moved them.
            let moved = [place, before].reduce(2 * quantum(of: place)) {
                $0 + max(0, (numbers[$1].margin ?? 0) - laws[$1].margin)
            }
            guard abs(numbers[place].value - numbers[before].value) > moved else { continue }
            report.find(.equal, numbers[place].text, "\(numbers[before].text), though it is the same question")
        }
    }

    /// Checks that numbers of single buckets add up to a whole. Buckets that are left out, or shown as 0, may have been
    /// drawn below 0, but hardly by more than five deviations each.
    func checkSums(_ report: inout AuditReport) {
        /// The single buckets of a field, by question, period, measure and other fields.
        var parts: [String: [String: [String: Double]]] = [:]
        func key(_ place: Int, without field: String) -> String {
            let number = numbers[place]
            return "\(number.metric) | \(number.measure) | \(laws[place].question) | \(number.period.label) | "
                + laws[place].place(without: field)
        }
        for (place, law) in laws.enumerated() {
            for (name, field) in law.fields {
                guard field.buckets.count == 1, let bucket = field.buckets.first else { continue }
                parts[key(place, without: name), default: [:]][name, default: [:]][bucket] = numbers[place].value
            }
        }
        for (place, law) in laws.enumerated() where sum(of: place)?.isNonNegative ?? true {
            let fields = Set(metrics[place].dimensions.filter { $0.base == nil }.map { "\($0.field) \($0.rule)" })
            for name in fields.sorted() {
                let own = law.fields[name]
                guard own.map({ $0.buckets.count > 1 }) ?? true, let found = parts[key(place, without: name)]?[name]
                else { continue }
                let inside = found.filter { own?.buckets.contains($0.key) ?? true }
                let sum = inside.reduce(0) { $0 + $1.value }
                let missing = (own?.buckets.count ?? size(of: name, metrics[place])) - inside.count
                report.sums += 1
                let unknown = Double(missing + inside.values.count { $0 == 0 })
                let (value, step) = (numbers[place].value, 0.5 * quantum(of: place))
                let isTooMuch = sum > value + step + 5 * law.deviation * unknown.squareRoot()
                guard isTooMuch || missing == 0 && sum < value - step else { continue }
                report.find(
                    .sums, numbers[place].text,
                    "its \(inside.count) parts by \(name.split(separator: " ").first ?? "") add up to "
                        + AuditText.number(sum))
            }
        }
    }

    /// Checks that stated margins hold 19 of 20 numbers.
    func checkMargins(_ report: inout AuditReport) {
        var open: [String: Int] = [:]
        for (place, law) in laws.enumerated() {
            guard let margin = numbers[place].margin else { continue }
            report.margins += 1
            let step = quantum(of: place)
            guard margin + step < 0.98 * law.margin else { continue }
            let single = law.margin / (law.parts * (law.parts + 1) / 2).squareRoot()
            if law.parts > 1, margin + step >= 0.98 * single {
                // Nobody knows in how many of its periods anything was counted.
                open[numbers[place].metric, default: 0] += 1
                report.margins -= 1
                continue
            }
            report.find(
                .margin, numbers[place].text,
                "a margin of \(AuditText.number(margin)) is stated, and 19 of 20 need \(AuditText.number(law.margin))")
        }
        for (name, count) in open.sorted(by: { $0.key < $1.key }) {
            report.unexamined.append(
                "\(count) margins of sums of \(name), which hold if something was counted in fewer of their periods")
        }
    }

    /// Checks that devices are k and their margin at least, and others the events that so many send.
    func checkThresholds(_ report: inout AuditReport) {
        for (place, law) in laws.enumerated() {
            let (number, metric) = (numbers[place], metrics[place])
            let k = Double(metric.threshold)
            switch number.measure {
            case .sum: continue
            case .devices where number.value < k + law.publication - 1:
                report.find(
                    .threshold, number.text,
                    "numbers of devices are shown from \(AuditText.number(k + law.publication)) on")
            case .events where !metric.hasIdentifiers && number.value < k * Double(metric.bound) + law.publication - 1:
                report.find(
                    .threshold, number.text, "nobody has an identifier, and so few events may be of few devices")
            case .events where number.value + 5 * law.deviation < k:
                report.find(.threshold, number.text, "so few events are of fewer than \(metric.threshold) devices")
            case .events, .devices: continue
            }
        }
    }

    private func sum(of place: Int) -> AuditMetric.Sum? {
        guard case .sum(let name) = numbers[place].measure else { return nil }
        return metrics[place].sums.first { $0.name == name }
    }

    /// Returns the unit in which a number is counted.
    private func quantum(of place: Int) -> Double { sum(of: place)?.quantum ?? 1 }

    private func size(of field: String, _ metric: AuditMetric) -> Int {
        metric.dimensions.first { $0.base == nil && "\($0.field) \($0.rule)" == field }?.labels.count ?? 0
    }
}

extension NumberLaw {
    /// The fields and their buckets, in one order.
    var place: String { place(without: "") }

    func place(without field: String) -> String {
        fields.filter { $0.key != field }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.buckets.sorted().joined(separator: "+"))" }.joined(separator: ", ")
    }
}
