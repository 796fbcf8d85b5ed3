internal import ThrongPlan

extension Examination {
    /// Looks at all combinations of a few numbers of one period, and at those that were given.
    func checkCombinations(_ report: inout AuditReport, _ options: AuditOptions) {
        var groups: [String: [Int]] = [:]
        for (place, number) in numbers.enumerated() {
            groups["\(number.app) \(kind(of: place)) in \(number.period.label)", default: []].append(place)
        }
        var closest: [String: (ratio: Double, found: AuditReport.Closest)] = [:]
        report.differences = Array(repeating: 0, count: max(1, options.size - 1))
        for (name, places) in groups.sorted(by: { $0.key < $1.key }) {
            let table = covariances(places)
            for place in places.indices { look([(place, 1)], places, table, &closest, &report) }
            for size in 2...max(2, options.size) {
                let count = Self.combinations(of: size, among: places.count)
                guard count + Double(report.differences[size - 2]) <= Double(options.limit) else {
                    report.unexamined.append(
                        "\(AuditText.number(count)) combinations of \(size) numbers of \(name): too many at once")
                    continue
                }
                var chosen: [(place: Int, sign: Double)] = []
                extend(&chosen, to: size, from: 0, of: places.count) {
                    report.differences[size - 2] += 1
                    look($0, places, table, &closest, &report)
                }
            }
        }
        report.closest = closest.sorted { $0.key < $1.key }.map(\.value.found)
        for combination in options.combinations { estimate(combination, &report) }
        guard options.listsEstimates else { return }
        for place in numbers.indices { list([(place, 1)], numbers[place].text, &report) }
    }

    /// Returns the kind of a number: devices and identifiers are one, events and each sum are others.
    private func kind(of place: Int) -> String {
        if metrics[place].countsIdentifiers, numbers[place].measure == .events { return "devices" }
        return numbers[place].measure.description
    }

    private func covariances(_ places: [Int]) -> [[Double]] {
        let all = places.map { estimator.best[$0] }
        var table = Array(repeating: Array(repeating: 0.0, count: all.count), count: all.count)
        for (row, left) in all.enumerated() {
            for column in row..<all.count {
                var sum = 0.0
                for (one, weight) in left {
                    for (other, factor) in all[column] {
                        sum += weight * factor * laws[one].covariance(with: laws[other])
                    }
                }
                table[row][column] = sum
                table[column][row] = sum
            }
        }
        return table
    }

    /// Returns the number of combinations with signs, of which the first is fixed.
    private static func combinations(of size: Int, among count: Int) -> Double {
        guard count >= size else { return 0 }
        return (0..<size).reduce(1.0) { $0 * Double(count - $1) / Double($1 + 1) } * Double(1 << (size - 1))
    }

    private func extend(
        _ chosen: inout [(place: Int, sign: Double)], to size: Int, from first: Int, of count: Int,
        _ body: ([(place: Int, sign: Double)]) -> Void
    ) {
        if chosen.count == size { return body(chosen) }
        for place in stride(from: first, to: count, by: 1) {
            for sign in chosen.isEmpty ? [1.0] : [1.0, -1.0] {
                chosen.append((place, sign))
                extend(&chosen, to: size, from: place + 1, of: count, body)
                chosen.removeLast()
            }
        }
    }

    /// Compares a combination with the promise. One without any noise estimates nothing: its numbers add up.
    private func look(
        _ chosen: [(place: Int, sign: Double)], _ places: [Int], _ table: [[Double]],
        _ closest: inout [String: (ratio: Double, found: AuditReport.Closest)], _ report: inout AuditReport
    ) {
        var variance = 0.0
        for (one, left) in chosen { for (other, right) in chosen { variance += left * right * table[one][other] } }
        let promise = chosen.reduce(Double.infinity) { min($0, laws[places[$1.place]].promise) }
        guard variance > 1e-6 * promise * promise else { return }
        let (deviation, kind) = (variance.squareRoot(), kind(of: places[chosen[0].place]))
        let ratio = deviation / promise
        guard ratio < min(closest[kind]?.ratio ?? .infinity, 1e9) || ratio < 0.999 else { return }
        let words = chosen.map { "\($0.sign < 0 ? "−" : "+") \(numbers[places[$0.place]].text)" }.joined(separator: " ")
        if ratio < closest[kind]?.ratio ?? .infinity {
            closest[kind] = (ratio, .init(measure: kind, deviation: deviation, promised: promise, combination: words))
        }
        guard ratio < 0.999 else { return }
        report.find(
            .closeness, words,
            "known within a standard deviation of \(AuditText.number(deviation)), and promised is "
                + AuditText.number(promise))
    }

    private func estimate(_ combination: AuditCombination, _ report: inout AuditReport) {
        var terms: [(number: Int, coefficient: Double)] = []
        for term in combination.terms {
            let found = numbers.firstIndex {
                $0.metric == term.metric && $0.measure == term.measure && $0.period == term.period
                    && $0.buckets == term.buckets
            }
            guard let found else {
                report.unexamined.append(
                    "the combination \(combination.text): no published number is \(term.metric) \(term.measure) in "
                        + term.period.label)
                return
            }
            terms.append((found, term.coefficient))
        }
        list(terms, combination.text, &report)
    }

    private func list(_ terms: [(number: Int, coefficient: Double)], _ text: String, _ report: inout AuditReport) {
        let estimate = estimator.estimate(terms)
        let isOne = Set(terms.map { kind(of: $0.number) }).count == 1
        let isWhole = terms.allSatisfy { $0.coefficient == $0.coefficient.rounded() }
        let promised = isOne && isWhole ? terms.map { laws[$0.number].promise }.min() ?? 0 : 0
        report.estimates.append(
            AuditEstimate(combination: text, value: estimate.value, deviation: estimate.deviation, promised: promised))
        guard estimate.deviation > 1e-3 * promised, estimate.deviation < 0.999 * promised else { return }
        report.find(.closeness, text, "known within a standard deviation of \(AuditText.number(estimate.deviation))")
    }

    /// A number over its periods; sums over longer ones, and other ways of counting, are other series.
    private struct Series: Hashable {
        let question: String
        let metric: String
        let kind: String
        let fields: String
        let place: String
    }

    /// Repeated questions.
    private var series: [(key: Series, places: [Int])] {
        var found: [Series: [Int]] = [:]
        for (place, law) in laws.enumerated() where law.parts == 1 {
            let series = Series(
                question: law.question, metric: numbers[place].metric, kind: law.period.kind.rawValue,
                fields: law.fields.keys.sorted().joined(separator: ", "), place: law.place)
            found[series, default: []].append(place)
        }
        return found.filter { $0.value.count > 1 }
            .map { (key: $0.key, places: $0.value.sorted { laws[$0].period < laws[$1].period }) }
            .sorted { ($0.places.min() ?? 0) < ($1.places.min() ?? 0) }
    }

    /// Counts the comparisons of two days, and of a day with the mean of others, and looks at the closest.
    func checkDays(_ report: inout AuditReport) {
        for (_, places) in series {
            let law = laws[places[0]]
            report.days += places.count - 1
            // The kept layer cancels; the mean of n others leaves an nth of the fresh one.
            let others = Double(places.count - 1)
            let variance = law.fresh * law.shape(with: law) * (1 + 1 / others)
            guard variance.squareRoot() < 0.999 * law.promise else { continue }
            report.find(
                .closeness, numbers[places[0]].text,
                "a day less the mean of \(places.count - 1) others has a standard deviation of "
                    + AuditText.number(variance.squareRoot()))
        }
    }

    /// Checks that a series scatters about its mean by the fresh layer at least: what people do only adds.
    func checkScatter(_ report: inout AuditReport) {
        // Numbers of one grouping are nearly independent; those of several are not.
        var groupings: [String: [String: (square: ChiSquare, count: Int)]] = [:]
        for (key, places) in series {
            let mean = places.reduce(0) { $0 + numbers[$1].value } / Double(places.count)
            guard let law = places.first.map({ laws[$0] }), isAlwaysShown(places[0], mean) else { continue }
            let variance = law.fresh * law.shape(with: law)
            let sum = places.reduce(0) { $0 + (numbers[$1].value - mean) * (numbers[$1].value - mean) } / variance
            let question = "\(key.metric) \(numbers[places[0]].measure) in a \(key.kind)"
            var grouping = groupings[question]?[key.fields] ?? (square: ChiSquare(), count: 0)
            grouping.square.add(sum, freedom: places.count - 1)
            grouping.count += 1
            groupings[question, default: [:]][key.fields] = grouping
        }
        for (question, groupings) in groupings.sorted(by: { $0.key < $1.key }) {
            for (_, grouping) in groupings.sorted(by: { $0.key < $1.key }) where grouping.square.isTelling {
                report.squares += grouping.square.freedom
                guard grouping.square.isTooSmall else { continue }
                report.find(
                    .scatter, question,
                    "\(grouping.count) numbers scatter over their days by \(AuditText.number(grouping.square.sum)), "
                        + "and the noise of a day alone adds \(grouping.square.freedom)")
            }
        }
    }

    /// True if a number is shown however it was drawn: one that comes and goes scatters by less.
    private func isAlwaysShown(_ place: Int, _ mean: Double) -> Bool {
        guard numbers[place].measure == .devices || metrics[place].countsIdentifiers else { return true }
        let law = laws[place]
        return mean > Double(metrics[place].threshold) + law.publication + 4 * law.deviation
    }

    /// Checks numbers of events of several metrics, such as A, B and both: they may depart from what their events allow
    /// by the noise of all of them.
    ///
    /// The mean over days has the kept layer, and the rest of a day has the fresh one; the two are independent.
    func checkRelations(_ report: inout AuditReport) {
        /// The numbers by place and period, one for each question.
        var places: [String: [AuditPeriod: [String: Int]]] = [:]
        for (place, law) in laws.enumerated()
        where law.parts == 1 && numbers[place].measure == .events && !metrics[place].countsIdentifiers {
            guard metrics[place].events != nil else { continue }
            let key = "\(numbers[place].app) | \(law.period.kind.rawValue) | \(metrics[place].crowd) | \(law.place)"
            places[key, default: [:]][law.period, default: [:]][law.question] = place
        }
        // A total's residual is the sum of its parts', so one grouping is taken.
        var squares: [[String]: ChiSquare] = [:]
        for (_, periods) in places.sorted(by: { $0.key < $1.key }) {
            guard let most = periods.values.max(by: { $0.count < $1.count }), most.count > 2 else { continue }
            let questions = most.keys.sorted()
            let days = periods.filter { $0.value.count == most.count && $0.value.keys.sorted() == questions }
                .sorted { $0.key < $1.key }.map { day in questions.compactMap { day.value[$0] } }
            guard let fields = days.first?.first.map({ laws[$0].fields.keys.sorted() }) else { continue }
            add(days, to: &squares[fields, default: ChiSquare()])
        }
        guard let square = squares.values.max(by: { $0.freedom < $1.freedom }) else { return }
        report.squares += square.freedom
        guard square.isTelling, square.isTooSmall else { return }
        report.find(
            .scatter, "numbers of events that overlap",
            "what their events allow is missed by \(AuditText.number(square.sum)), and the noise of independent "
                + "questions adds \(square.freedom)")
    }

    /// Adds the residuals of one place: those of each day from their mean, and that of the mean.
    private func add(_ days: [[Int]], to square: inout ChiSquare) {
        guard let first = days.first else { return }
        let rows = Linear.rows(of: first.map { metrics[$0].events ?? [] })
        let count = Double(days.count)
        let means = first.indices.map { place in days.reduce(0) { $0 + numbers[$1[place]].value } / count }
        let shapes = first.map { laws[$0].shape(with: laws[$0]) }
        let fresh = zip(first, shapes).map { laws[$0].fresh * $1 }
        let lasting = zip(first, shapes).map { (laws[$0].kept + laws[$0].fresh / count) * $1 }
        guard let whole = Linear.residual(means, rows, variances: lasting), whole.freedom > 0 else { return }
        square.add(whole.sum, freedom: whole.freedom)
        guard days.count > 1 else { return }
        for day in days {
            let off = zip(day, means).map { numbers[$0].value - $1 }
            guard let rest = Linear.residual(off, rows, variances: fresh) else { continue }
            square.add(rest.sum, freedom: 0)
        }
        square.add(0, freedom: whole.freedom * (days.count - 1))
    }
}
