/// The published numbers whose noise is known, and checks of each number and of its repetitions.
struct Examination {
    let numbers: [AuditNumber]
    let laws: [NumberLaw]
    let metrics: [AuditMetric]
    let estimator: Estimator

    /// Works out the laws; numbers that have none are counted as not examined.
    init(_ all: [AuditNumber], _ input: AuditInput, _ report: inout AuditReport) {
        var (numbers, laws, metrics): ([AuditNumber], [NumberLaw], [AuditMetric]) = ([], [], [])
        var (unplanned, unsplit, unbounded): ([String: Int], [String: Int], [String: Int]) = ([:], [:], [:])
        for number in all {
            guard let metric = input.metric(of: number) else {
                unplanned["\(number.app)/\(number.metric)", default: 0] += 1
                continue
            }
            guard !metric.isBoundOpen || number.measure == .devices else {
                unbounded["\(number.app)/\(number.metric)", default: 0] += 1
                continue
            }
            guard let law = metric.law(of: number) else {
                unsplit["\(number.app)/\(number.metric)", default: 0] += 1
                continue
            }
            numbers.append(number)
            laws.append(law)
            metrics.append(metric)
        }
        for (name, count) in unplanned.sorted(by: { $0.key < $1.key }) {
            report.unexamined.append("\(count) numbers of \(name), which no given plan has")
        }
        for (name, count) in unsplit.sorted(by: { $0.key < $1.key }) {
            report.unexamined.append("\(count) numbers of \(name), by a field or bucket that no given plan has")
        }
        for (name, count) in unbounded.sorted(by: { $0.key < $1.key }) {
            report.unexamined.append("\(count) numbers of \(name), under a bound that only reports in JSON say")
        }
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
