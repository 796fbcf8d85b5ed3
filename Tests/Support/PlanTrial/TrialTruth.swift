internal import ThrongPlan

/// What the truth says of published numbers: which of them, and of the sums and differences of two or three that are about
/// a set of people, stand for fewer than k devices, but for some.
///
/// Where only proved devices count for k, those are meant, and whoever made up all others knows what these sent: a number
/// must not be nearly all of one device without them, either.
///
/// It knows the people and reads plans by itself; of the engine and of the audit it takes nothing.
struct TrialTruth {
    /// Beyond so many different numbers, those of three are looked for among the first ones only.
    static let mostNumbers = 90

    private let town: TrialTown
    private let numbers: [TrialNumber]

    init(_ town: TrialTown) {
        self.town = town
        numbers = TrialNumber.all(town)
    }

    /// Each in a sentence.
    func violations() -> [String] {
        var found: [String] = []
        for number in numbers {
            let counted = zip(town.happenings, number.happenings).reduce(Int64(0)) { sum, pair in
                pair.1 ? sum + pair.0.events * town.trial.people[pair.0.group].devices : sum
            }
            if counted != number.count { found.append("\(number.name) is \(counted), published as \(number.count)") }
            let devices = counting(number.happenings)
            if devices < threshold([number]) {
                found.append("\(number.name) = \(number.count) is of \(devices) devices")
            }
            if let reach = number.reach, reach > devices || reach < threshold([number]) {
                found.append("\(number.name) is said to be of \(reach) devices and is of \(devices)")
            }
            if isDominated(number) {
                found.append("\(number.name) = \(number.count) is nearly all of one or two devices")
            }
        }
        return found + differences()
    }

    private func differences() -> [String] {
        var found: [String] = []
        let within = numbers.map { whole in
            numbers.indices.filter { whole.holds(numbers[$0]) && whole.axes != numbers[$0].axes }
        }
        for (place, whole) in numbers.enumerated() {
            for part in within[place] { note([whole], [numbers[part]], &found) }
            // Two that the plan says are the same, and that count some devices differently.
            for other in numbers.dropFirst(place + 1) where other.axes == whole.axes {
                note([whole], [other], &found)
                note([other], [whole], &found)
            }
        }
        let few = Array(numbers.indices.prefix(Self.mostNumbers))
        for place in few {
            let parts = within[place].filter { $0 < few.count }
            for (index, one) in parts.enumerated() {
                for two in parts.dropFirst(index + 1) where numbers[one].isApart(from: numbers[two]) {
                    note([numbers[place]], [numbers[one], numbers[two]], &found)
                }
            }
            for two in few where two > place && numbers[place].axes != numbers[two].axes {
                let (left, right) = (numbers[place], numbers[two])
                for third in few where third != place && third != two {
                    let taken = numbers[third]
                    // Where it is within one, the rest is the other beside a difference: both were looked at.
                    guard !left.holds(taken), !right.holds(taken), left.meets(right, within: taken),
                        TrialNumber.union(left, right, holds: taken)
                    else { continue }
                    note([left, right], [taken], &found)
                }
            }
        }
        return found
    }

    /// Adds some and takes away others: a violation where what is left is a set of some devices, but fewer than k.
    private func note(_ added: [TrialNumber], _ taken: [TrialNumber], _ found: inout [String]) {
        var left = Array(repeating: false, count: town.happenings.count)
        for place in left.indices {
            let times =
                added.reduce(0) { $0 + ($1.happenings[place] ? 1 : 0) }
                - taken.reduce(0) { $0 + ($1.happenings[place] ? 1 : 0) }
            guard times == 0 || times == 1 else { return }
            left[place] = times == 1
        }
        let devices = counting(left)
        guard left.contains(true), devices < threshold(added + taken) else { return }
        let words =
            added.map { "\($0.name) = \($0.count)" }.joined(separator: " + ")
            + taken.map { " − \($0.name) = \($0.count)" }.joined()
        found.append("\(words): \(devices) devices")
    }

    /// How many devices count for k of those that did some things.
    private func counting(_ happenings: [Bool]) -> Int64 {
        Set(happenings.indices.filter { happenings[$0] }.map { town.happenings[$0].group })
            .reduce(0) { $0 + (isCounting($1) ? town.trial.people[$1].devices : 0) }
    }

    private func isCounting(_ group: Int) -> Bool {
        town.trial.people[group].isProved || !town.trial.isProvedThroughout
    }

    /// The smallest k that any plan gives any of the metrics.
    private func threshold(_ numbers: [TrialNumber]) -> Int64 {
        let all = numbers.flatMap { number in
            town.tables[number.table].uses.map { use in
                Int64(use.spec.threshold ?? town.trial.plans[use.version].threshold)
            }
        }
        return all.min() ?? 0
    }

    /// The p % rule with p = 10, on what devices sent in truth: of all, and of those that count.
    private func isDominated(_ number: TrialNumber) -> Bool {
        isDominated(number) { _ in true } || isDominated(number, of: isCounting)
    }

    private func isDominated(_ number: TrialNumber, of isKnown: (Int) -> Bool) -> Bool {
        var sent: [Int: Int64] = [:]
        var count: Int64 = 0
        for (place, happening) in town.happenings.enumerated()
        where number.happenings[place] && isKnown(happening.group) {
            sent[happening.group, default: 0] += happening.events
            count += happening.events * town.trial.people[happening.group].devices
        }
        let largest = sent.flatMap { group, each in
            Array(repeating: each, count: Int(min(2, town.trial.people[group].devices)))
        }.sorted(by: >)
        guard let first = largest.first else { return false }
        return 10 * (count - largest.prefix(2).reduce(0, +)) < first
    }
}
