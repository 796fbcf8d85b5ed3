internal import ThrongChance
internal import ThrongPlan
internal import ThrongRelease

extension PlanTrial {
    /// Floors that count proved devices: who proves, what is proved of a period, and whether an edit began or ended it.
    mutating func prove() {
        var random = SeededGenerator(seed: seed ^ 0x5bd1_e995)
        func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        let isBrief = flip(60)
        let first = flip(70) ? [true, true] : flip(60) ? [false, true] : [true, false]
        var proving: [String: Bool] = [:]
        for version in plans.indices {
            plans[version].isAttested = plans.count == 1 || first[version]
            plans[version].isBrief = isBrief
            for place in plans[version].metrics.indices {
                let name = plans[version].metrics[place].name
                if version > 0, flip(15) { proving[name] = nil }
                let proves = proving[name] ?? flip(60)
                proving[name] = proves
                plans[version].metrics[place].provesFirsts = proves && plans[version].isAttested
            }
        }
        for place in people.indices { people[place].prove(using: &random) }
    }

    /// Whether only proved devices count in all of its plans. Where some count all, nobody promises anything to whoever made
    /// devices up.
    var isProvedThroughout: Bool { plans.allSatisfy(\.isAttested) }
}

extension TrialPeople {
    /// Some can't prove who they are, and some of these make a flood; some that can don't say where they were.
    fileprivate mutating func prove(using random: inout some RandomNumberGenerator) {
        func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        isProved = flip(70)
        tells = isProved && flip(85)
        if !isProved, flip(35) { sends = sends.map { $0.map { $0 * 40 } } }
    }
}

extension TrialTable {
    /// The devices that proved to be in the cells of a period. What they say comes with their events: who is late says nothing of
    /// the shortest periods.
    func firsts(
        _ number: Int, _ period: Period, _ trial: PlanTrial, _ plans: [Plan], _ happenings: [TrialHappening]
    ) throws -> ProvedDevices? {
        guard let margins = layout.provedFirsts?.margins else { return nil }
        struct First: Hashable {
            let group: Int
            let margin: Margin
            let cell: CellIndex
        }
        var firsts: Set<First> = []
        for happening in happenings where counts(happening, number, period, trial) {
            let people = trial.people[happening.group]
            guard people.tells, happening.period(self, trial) == trial.time.period(layout.period, happening.slot),
                let leaf = try leaf(of: happening, trial, plans)
            else { continue }
            for margin in margins {
                firsts.insert(
                    First(
                        group: happening.group, margin: margin,
                        cell: layout.project(leaf, from: layout.leaf, to: margin)))
            }
        }
        var devices: [Margin: [CellIndex: Int64]] = [:]
        for first in firsts {
            devices[first.margin, default: [:]][first.cell, default: 0] += trial.people[first.group].devices
        }
        return ProvedDevices(
            period: period,
            rows: devices.flatMap { margin, cells in
                cells.map { ProvedDevices.Row(margin: margin, cell: $0.key, devices: $0.value) }
            })
    }
}
