import ThrongSystem

/// What decides a history: which faults there are, and which steps are taken.
package struct Seed: Sendable, Hashable {
    /// A group of faults that a history has or has not: fewer at once go deeper.
    package enum Family: Int, Sendable, Hashable, CaseIterable {
        case crash, power, sync, space, clock, database, restore, schedule, freeze, absence, giants, damage, copies,
            withdrawal
    }

    /// Which history of all.
    package let value: UInt64
    /// How many steps it has.
    package let steps: Int
    /// Whether the daemon writes checkpoints; a seed's history without is another one.
    package let checkpoints: Bool
    /// Whether the daemon stands still again and again beside a slow PostgreSQL, while a copy takes its place; histories of their own.
    package let stutters: Bool

    /// Whether the daemon stops in order and is started while PostgreSQL is away, alone in its database or not; histories of their own.
    package let stops: Bool

    /// Names a history.
    package init(
        _ value: UInt64, steps: Int = 300, checkpoints: Bool = false, stutters: Bool = false, stops: Bool = false
    ) {
        self.stutters = stutters
        self.stops = stops
        self.value = value
        self.steps = steps
        self.checkpoints = checkpoints
    }

    /// Its faults.
    package var families: Set<Family> {
        if stutters { return [.copies] }
        if stops { return [.crash, .power, .database] }
        var chance = SeededGenerator(seed: value ^ 0xFA31)
        var families = Set(Family.allCases.filter { $0 != .withdrawal && chance.oneIn(3) })
        if chance.oneIn(2) { families.remove(.damage) }
        // A copy lacks what a person would have to put right, and what its original flushed last.
        if families.contains(.damage) { families.remove(.copies) }
        if families.contains(.copies) { families.remove(.restore) }
        // What is kept to bring a database up to date goes by the clock.
        if families.contains(.clock) { families.remove(.restore) }
        // A copy does not know who withdrew meanwhile, nor does a journal that was cut off.
        if families.isDisjoint(with: [.copies, .damage]) {
            var chance = SeededGenerator(seed: value ^ 0x3117)
            if chance.oneIn(2) { families.insert(.withdrawal) }
        }
        return families
    }

    /// Its steps.
    package var actions: [Action] {
        var chance = SeededGenerator(seed: value)
        let kinds = weighted
        return (0..<steps).map { _ in
            Action(kind: kinds[chance.below(kinds.count)], number: chance.next() >> 16)
        }
    }

    /// Each kind as often as its weight says.
    private var weighted: [Action.Kind] {
        var weights: [(Action.Kind, Int)] = [
            (.post, 40), (.again, 8), (.write, 30), (.flush, 10), (.moment, 12), (.seconds, 6), (.minutes, 3),
            (.start, 6),
        ]
        let families = families
        if families.contains(.crash) { weights += [(.kill, 2), (.stop, 1)] }
        if families.contains(.power) { weights += [(.powerLoss, 2)] }
        if families.contains(.sync) { weights += [(.syncFails, 2)] }
        if families.contains(.space) { weights += [(.diskFills, 2), (.diskHasSpace, 3)] }
        if families.contains(.clock) { weights += [(.clockWrong, 2), (.clockRight, 3), (.kill, 1)] }
        if families.contains(.database) {
            weights += [
                (.databaseAway, 1), (.databaseHangs, 1), (.databaseBack, 4), (.commitLost, 2), (.answerLost, 2),
            ]
        }
        if families.contains(.restore) { weights += [(.backup, 3), (.restore, 1)] }
        if families.contains(.schedule) { weights += [(.schedule, 8), (.hours, 2)] }
        if families.contains(.absence) { weights += [(.crowd, 2), (.databaseAway, 1), (.databaseBack, 1)] }
        if families.contains(.giants) { weights += [(.giant, 5), (.kill, 1)] }
        if families.contains(.damage) { weights += [(.damage, 2), (.kill, 2)] }
        if families.contains(.copies) { weights += [(.copy, 2), (.freeze, 2)] }
        if families.contains(.freeze) { weights += [(.freeze, 3)] }
        if families.contains(.withdrawal) { weights += [(.withdraw, 6)] }
        if stutters {
            weights += [
                (.post, 40), (.copy, 4), (.stutter, 4), (.steady, 1), (.databaseSlow, 4), (.databaseQuick, 1),
                (.seconds, 10), (.cut, 2),
            ]
        }
        if stops {
            weights += [(.stop, 6), (.start, 8), (.databaseAway, 4), (.databaseBack, 2), (.alone, 3), (.others, 2)]
        }
        // With ends that make something of them.
        if checkpoints { weights += [(.checkpoint, 16), (.kill, 3), (.powerLoss, 1)] }
        return weights.flatMap { Array(repeating: $0.0, count: $0.1) }
    }
}
