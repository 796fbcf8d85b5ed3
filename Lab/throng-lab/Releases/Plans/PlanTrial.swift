internal import ThrongSystem

/// A random plan, edited or not, over random people for a few days: drawn by many secrets, and searched for
/// combinations of numbers that tell more than is promised.
package struct PlanTrial: Sendable {
    /// All choices follow from it.
    package let seed: UInt64
    /// The plan, and what it was edited to.
    package let plans: [TrialPlan]
    /// The days, each by one of the plans.
    let versions: [Int]
    let people: [TrialPeople]

    /// Makes the choices of a seed.
    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        let plan = TrialPlan(using: &random)
        let days = Int.random(in: 1...4, using: &random)
        let isEdited = days > 1 && Int.random(in: 0..<100, using: &random) < 40
        plans = isEdited ? [plan, plan.edited(using: &random)] : [plan]
        let cut = Int.random(in: 1...max(1, days - 1), using: &random)
        versions = (0..<days).map { isEdited && $0 >= cut ? 1 : 0 }
        people = Self.people(days: days, using: &random)
    }

    private static func people(days: Int, using random: inout some RandomNumberGenerator) -> [TrialPeople] {
        (0..<14).map { TrialPeople(days: days, isCrowd: $0 < 7, using: &random) }
    }

    /// The town of its people.
    ///
    /// - Throws: what a plan is refused for.
    package func town() throws -> TrialTown { try TrialTown(plans, versions: versions, people: people) }

    /// Towns of other people under the same plans: what is 0 in all of them is 0 whoever comes.
    func others(_ count: Int) throws -> [TrialTown] {
        var random = SeededGenerator(seed: seed &+ 0x5eed)
        return try (0..<count).map { _ in
            try TrialTown(plans, versions: versions, people: Self.people(days: versions.count, using: &random))
        }
    }
}

extension PlanTrial: CustomStringConvertible {
    /// The plans and their days.
    package var description: String {
        let plans = plans.map(\.yaml).joined(separator: "\nedited:\n")
        return "seed \(seed), days by plan \(versions), \(people.count) groups\n\(plans)"
    }
}
