internal import ThrongPlan
internal import ThrongRelease
package import ThrongSystem
internal import ThrongWire

/// The outcome of a trial.
package struct TrialOutcome: Sendable {
    /// Promises that were not kept; a sentence each.
    package let violations: [String]
    /// Numbers that all draws publish.
    package let numbers: Int
    /// Combinations that were tried.
    package let combinations: Int
    /// The least standard deviation of any, in units of what is promised.
    package let least: Double
}

extension PlanTrial {
    /// Returns the part of the promise below which an estimate is known too closely: 2.4 standard errors of a deviation
    /// that so many draws tell, which is 0.88 for 200 of them.
    static func tolerance(draws: Int) -> Double { 1 - 2.4 / (2 * Double(draws)).squareRoot() }

    /// Draws everything by many secrets and looks for the combination that tells most.
    ///
    /// One half of the draws is searched, and what is found there is judged by the other.
    /// - Parameters:
    ///   - draws: of each half.
    ///   - faults: protections that are off.
    package func run(draws: Int = 200, without faults: Set<Fault> = []) throws -> TrialOutcome {
        let town = try town()
        let all = try Fault.with(faults) { try (1...2 * draws).map { try numbers(of: town, secret: $0) } }
        let shared = all.dropFirst().reduce(Set(all[0].keys)) { $0.intersection($1.keys) }
        let others = try others(8)
        var random = SeededGenerator(seed: seed &+ 1)
        var (violations, combinations, least): ([String], Int, Double) = ([], 0, .infinity)
        for measure in 0...2 {
            let names = shared.filter { $0.measure == measure }.sorted { $0.text < $1.text }
            guard !names.isEmpty else { continue }
            let search = CombinationSearch(
                promises: names.map { $0.promise(town) },
                // Whatever any crowd makes 0 estimates nothing.
                truths: others.map { other in names.map { $0.truth(other) } },
                drawn: all.prefix(draws).map { draw in names.map { draw[$0] ?? 0 } })
            for combination in search.closest(using: &random) {
                combinations += 1
                let judged = all.suffix(draws).map { draw in
                    combination.reduce(0) { $0 + $1.coefficient * (draw[names[$1.place]] ?? 0) }
                }
                let promise = combination.reduce(Double.infinity) { min($0, names[$1.place].promise(town)) }
                // No number is told below 0: where that cut one off, its draws crowd together there, off the truth.
                let isCut = combination.contains { part in all.suffix(draws).contains { $0[names[part.place]] == 0 } }
                let truth = combination.reduce(0) { $0 + $1.coefficient * names[$1.place].truth(town) }
                let ratio = (isCut ? Self.distance(of: judged, to: truth) : Self.deviation(judged)) / promise
                least = min(least, ratio)
                guard ratio < Self.tolerance(draws: draws) else { continue }
                let words = combination.map { "\($0.coefficient) × \(names[$0.place].text)" }.joined(separator: " + ")
                violations.append("known within \(ratio) of the promise: \(words)")
            }
        }
        violations += try twins(town, draws: draws, faults)
        return TrialOutcome(
            violations: violations, numbers: shared.count, combinations: combinations, least: least)
    }

    func numbers(of town: TrialTown, secret: Int) throws -> [TrialNumber: Double] {
        var found: [TrialNumber: Double] = [:]
        for release in try town.releases(secret: secret) {
            let day = Int((release.header.period.start.value - TrialTown.monday.value) / 86_400)
            found.merge(release.trialNumbers(day: day)) { $1 }
        }
        return found
    }

    /// The root of the mean squared distance of values to a point.
    static func distance(of values: [Double], to point: Double) -> Double {
        (values.reduce(0) { $0 + ($1 - point) * ($1 - point) } / Double(max(1, values.count))).squareRoot()
    }

    static func deviation(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, values.count - 1))).squareRoot()
    }

    /// The evidence of one device more in the first group, to whoever knows all else: no more than the stated cost.
    ///
    /// The noise of one day is judged by pairs of days that have nothing else in common, so that the kept layer
    /// cancels: the attacker is given that. Numbers of the first day alone are looked at, and as many as a covariance
    /// can be told of.
    private func twins(_ town: TrialTown, draws: Int, _ faults: Set<Fault>) throws -> [String] {
        // Two days of one plan on which all people do the same.
        let still = try TrialTown([plans[0]], versions: [0, 0], people: people.map { $0.still })
        var more = still
        more.people[0].devices += 1
        let all = try Fault.with(faults) { try (1...draws).map { try numbers(of: still, secret: $0) } }
        let shared = all.dropFirst().reduce(Set(all[0].keys)) { $0.intersection($1.keys) }
        let names = shared.filter { $0.day == 0 && shared.contains($0.on(1)) }.sorted { $0.text < $1.text }
        let cost = try still.releases(secret: 1).filter { $0.header.period == TrialTown.period(0) }
            .reduce(0.0) { $0 + (Double($1.header.margins?.cost ?? "") ?? 0) }
        let change = names.map { $0.truth(more) - $0.truth(still) }
        let off = all.map { draw in
            names.map { ((draw[$0] ?? 0) - (draw[$0.on(1)] ?? 0)) / 2.0.squareRoot() }
        }
        guard let (square, rank) = Evidence.square(of: change, noise: off, most: draws / 8) else {
            return ["numbers of two days are the same: a device more is seen at once"]
        }
        // The inverse of a covariance that was estimated is too large on average.
        let evidence = square / 2 * Double(draws - rank - 2) / Double(draws - 1)
        let allowed = cost * (1 + 4 * (2 / Double(draws - rank)).squareRoot()) + 0.02
        return evidence <= allowed ? [] : ["one device more has evidence of ρ \(evidence), and \(cost) is stated"]
    }
}

extension TrialNumber {
    /// The same of another day.
    fileprivate func on(_ day: Int) -> TrialNumber {
        TrialNumber(day: day, metric: metric, measure: measure, buckets: buckets)
    }
}

extension TrialPeople {
    /// Those who do on two days what these do on the first.
    fileprivate var still: TrialPeople {
        TrialPeople(devices: devices, values: values, sends: [sends[0], sends[0]], agree: agree, signals: signals)
    }
}
