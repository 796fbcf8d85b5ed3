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

    /// Returns the covariances of the best estimates of some numbers.
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
        for (one, left) in chosen {
            for (other, right) in chosen { variance += left * right * table[one][other] }
        }
        let promise = chosen.reduce(Double.infinity) { min($0, laws[places[$1.place]].promise) }
        guard variance > 1e-6 * promise * promise else { return }
        let (deviation, kind) = (variance.squareRoot(), kind(of: places[chosen[0].place]))
        let ratio = deviation / promise
        guard ratio < min(closest[kind]?.ratio ?? .infinity, 1e9) || ratio < 0.999 else { return }
        let words = chosen.map { "\($0.sign < 0 ? "−" : "+") \(numbers[places[$0.place]].text)" }.joined(separator: " ")
        if ratio < closest[kind]?.ratio ?? .infinity {
            closest[kind] = (
                ratio, .init(measure: kind, deviation: deviation, promised: promise, combination: words)
            )
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
            AuditEstimate(
                combination: text, value: estimate.value, deviation: estimate.deviation, promised: promised))
        guard estimate.deviation > 1e-3 * promised, estimate.deviation < 0.999 * promised else { return }
        report.find(
            .closeness, text, "known within a standard deviation of \(AuditText.number(estimate.deviation))")
    }
}
