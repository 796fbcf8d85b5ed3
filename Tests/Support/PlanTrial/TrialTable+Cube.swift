internal import ThrongPlan
internal import ThrongRelease

extension TrialTable {
    private struct Place: Hashable {
        let margin: Margin
        let cell: CellIndex
        let window: WindowNumber
    }

    private struct Device: Hashable {
        let group: Int
        let place: Place
    }

    /// What was counted in a period, as PostgreSQL would hold it.
    ///
    /// - Parameter number: the table's place among all.
    func cube(
        _ number: Int, _ period: Period, _ trial: PlanTrial, _ plans: [Plan], _ happenings: [TrialHappening]
    ) throws -> StoredCube {
        var events: [CellIndex: Int64] = [:]
        var sums: [CellIndex: [Int64]] = [:]
        var own: [Device: [Int64]] = [:]
        let quanta = trial.people.map { people in
            layout.sums.map { $0.quantum(of: Double(people.values["amount"] ?? "") ?? 0) }
        }
        for happening in happenings
        where happening.tables.contains(number) && happening.period(self, trial) == period {
            guard let use = use(at: happening.slot, trial) else { continue }
            let people = trial.people[happening.group]
            let buckets = try plans[use.version].cubeDimensions(of: use.metric).map { dimension in
                let text =
                    dimension.field == .event
                    ? TrialPlan.events[happening.event] : people.values[dimension.field.text] ?? ""
                let rule = try dimension.rule.compiled(rules: .system)
                return text.withFieldValue { rule.bucket($0) }
            }
            let cell = layout.cell(buckets: buckets, in: layout.leaf)
            let amounts = quanta[happening.group]
            events[cell, default: 0] += happening.events * people.devices
            let old = sums[cell] ?? Array(repeating: 0, count: amounts.count)
            sums[cell] = zip(old, amounts).map { $0 + $1 * happening.events * people.devices }
            for margin in layout.trackedMargins {
                let place = Place(
                    margin: margin, cell: layout.project(cell, from: layout.leaf, to: margin),
                    window: window(at: happening.slot, trial))
                let device = Device(group: happening.group, place: place)
                let added = zip(layout.sums, amounts).map { ($1 + $0.contributionShift) * happening.events }
                let known = own[device] ?? Array(repeating: 0, count: added.count)
                own[device] = zip(known, added).map { $0 + $1 }
            }
        }
        var distinct: [Place: Int64] = [:]
        var largest: [Place: [Int64]] = [:]
        for (device, added) in own {
            let devices = trial.people[device.group].devices
            distinct[device.place, default: 0] += devices
            guard let first = added.first else { continue }
            largest[device.place, default: []] += Array(repeating: first, count: Int(min(2, devices)))
        }
        return StoredCube(
            layout: layout, period: period,
            counters: events.sorted { $0.key < $1.key }.flatMap { cell, value in
                [StoredCounter(measure: .count, cell: cell, value: value)]
                    + (sums[cell] ?? []).enumerated().map { StoredCounter(measure: .sum($0), cell: cell, value: $1) }
            },
            distinct: distinct.sorted(by: Self.order).map { place, devices in
                StoredDistinct(margin: place.margin, cell: place.cell, window: place.window, devices: devices)
            },
            top: largest.sorted(by: Self.order).map { place, amounts in
                let sorted = amounts.sorted(by: >)
                return StoredTop(
                    margin: place.margin, cell: place.cell, measure: .sum(0), window: place.window,
                    largest: sorted.first ?? 0, second: sorted.dropFirst().first ?? 0)
            })
    }

    private static func order<Value>(_ left: (key: Place, value: Value), _ right: (key: Place, value: Value)) -> Bool {
        (left.key.margin.bits, left.key.cell.value, left.key.window.value)
            < (right.key.margin.bits, right.key.cell.value, right.key.window.value)
    }
}
