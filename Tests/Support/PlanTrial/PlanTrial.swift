internal import ThrongChance
internal import ThrongPlan

/// Some people and the plans that count them, one after the other: what a seed stands for.
package struct PlanTrial: Sendable {
    /// Which one.
    package let seed: UInt64
    /// The first, and where it was edited the second.
    package internal(set) var plans: [TrialPlan]
    /// The first slot that the second counts; that behind the last, where periods only wait for their release.
    let cut: Int
    /// Who is counted.
    package internal(set) var people: [TrialPeople]
    /// Whether releases come in an order by chance, and not as the daemon makes them.
    var isShuffled: Bool

    /// What a seed stands for.
    ///
    /// - Parameter areProved: whether only devices that prove themselves count for k. The same people then do the same, and some
    ///   of them prove it.
    package init(seed: UInt64, areProved: Bool = false) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        let plan = TrialPlan(using: &random)
        plans = [plan]
        cut = Int.random(in: 0..<plan.time.slots.count, using: &random) + 1
        if Int.random(in: 0..<100, using: &random) < 25 { plans.append(plan.edited(using: &random)) }
        people = (0..<Int.random(in: 6...16, using: &random)).map { _ in TrialPeople(plan.time, using: &random) }
        isShuffled = Bool.random(using: &random)
        if areProved { prove() }
    }

    var time: TrialTime { plans[0].time }

    /// The slots that a plan counts.
    func slots(_ version: Int) -> Range<Int> {
        if plans.count == 1 { return time.slots.indices }
        return version == 0 ? 0..<cut : cut..<time.slots.count
    }

    /// When the second plan's daemon started.
    var cutTime: UnixSeconds {
        cut < time.slots.count
            ? TrialTime.monday + (time.slots[cut] - 300) : TrialTime.monday + ((time.slots.last ?? 0) + 40 * 86_400)
    }
}

extension PlanTrial: CustomStringConvertible {
    /// The plans and the people.
    package var description: String {
        var lines = ["seed \(seed): \(time.name), \(isShuffled ? "released in any order" : "released in order")"]
        for (version, plan) in plans.enumerated() {
            lines.append(version == 0 ? "plan:" : "plan from slot \(cut) on:")
            lines.append(plan.yaml)
        }
        return (lines + people.map(\.description)).joined(separator: "\n")
    }
}

extension TrialPlan {
    /// As somebody edits it: another k, a metric's new name, its events, its bound, or without it.
    func edited(using random: inout some RandomNumberGenerator) -> TrialPlan {
        var plan = self
        let place = Int.random(in: 0..<metrics.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: plan.threshold = threshold == 5 ? 20 : 5
        case 1: plan.metrics[place].name = "renamed"
        case 2: plan.metrics[place].events = [TrialPlan.events[Int.random(in: 0..<3, using: &random)]]
        case 3: plan.metrics[place].bound = plan.metrics[place].bound == 100 ? 5 : 100
        default: if metrics.count > 1 { plan.metrics.remove(at: place) } else { plan.threshold = 5 }
        }
        for place in plan.metrics.indices where (plan.metrics[place].threshold ?? plan.threshold) < plan.threshold {
            plan.metrics[place].threshold = nil
        }
        return plan
    }
}
