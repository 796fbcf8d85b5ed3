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

    /// Whether it counts something in a period.
    func counts(_ happening: TrialHappening, _ number: Int, _ period: Period, _ trial: PlanTrial) -> Bool {
        happening.tables.contains(number) && happening.period(self, trial) == period
    }

    /// The leaf that something falls into; nil where no plan of then has the metric.
    func leaf(of happening: TrialHappening, _ trial: PlanTrial, _ plans: [Plan]) throws -> CellIndex? {
        guard let use = use(at: happening.slot, trial) else { return nil }
        let people = trial.people[happening.group]
        let buckets = try plans[use.version].cubeDimensions(of: use.metric).map { dimension in
            let text =
                dimension.field == .event
                ? TrialPlan.events[happening.event] : people.values[dimension.field.text] ?? ""
            let rule = try dimension.rule.compiled(rules: .system)
            return text.withFieldValue { rule.bucket($0) }
        }
        return layout.cell(buckets: buckets, in: layout.leaf)
    }

    /// What was counted in a period, as PostgreSQL would hold it.
    ///
    /// - Parameter number: the table's place among all.
    func cube(
        _ number: Int, _ period: Period, _ trial: PlanTrial, _ plans: [Plan], _ happenings: [TrialHappening]
    ) throws -> StoredCube {
        var values: [CellIndex: [Int64]] = [:]
        var own: [Device: [Int64]] = [:]
        let quanta = trial.people.map { people in
            layout.sums.map { $0.quantum(of: Double(people.values["amount"] ?? "") ?? 0) }
        }
        for happening in happenings where counts(happening, number, period, trial) {
            guard let cell = try leaf(of: happening, trial, plans) else { continue }
            let people = trial.people[happening.group]
            let amounts = quanta[happening.group]
            let all = ([1] + amounts).map { $0 * happening.events * people.devices }
            let proved = people.isProved ? all : all.map { _ in 0 }
            let counted = layout.countsProved ? all + proved : all
            values[cell] = zip(values[cell] ?? counted.map { _ in 0 }, counted).map { $0 + $1 }
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
        var largest: [Place: [MeasureIndex: [Int64]]] = [:]
        for (device, added) in own {
            let people = trial.people[device.group]
            if layout.floor == .any || people.isProved { distinct[device.place, default: 0] += people.devices }
            guard let first = added.first else { continue }
            let pair = Array(repeating: first, count: Int(min(2, people.devices)))
            largest[device.place, default: [:]][.sum(0), default: []] += pair
            if layout.countsProved, people.isProved {
                largest[device.place, default: [:]][layout.provedMeasure(of: .sum(0)), default: []] += pair
            }
        }
        return StoredCube(
            layout: layout, period: period,
            counters: values.sorted { $0.key < $1.key }.flatMap { cell, counted in
                measures.enumerated().map { StoredCounter(measure: $1, cell: cell, value: counted[$0]) }
            },
            distinct: distinct.sorted(by: Self.order).map { place, devices in
                StoredDistinct(margin: place.margin, cell: place.cell, window: place.window, devices: devices)
            },
            top: largest.sorted(by: Self.order).flatMap { place, measures in
                measures.sorted { $0.key < $1.key }.map { measure, amounts in
                    let sorted = amounts.sorted(by: >)
                    return StoredTop(
                        margin: place.margin, cell: place.cell, measure: measure, window: place.window,
                        largest: sorted.first ?? 0, second: sorted.dropFirst().first ?? 0)
                }
            })
    }

    /// The counters of a cell: of all, then of those who proved themselves.
    private var measures: [MeasureIndex] {
        let all = [MeasureIndex.count] + layout.sums.indices.map { .sum($0) }
        return layout.countsProved ? all + all.map(layout.provedMeasure) : all
    }

    private static func order<Value>(_ left: (key: Place, value: Value), _ right: (key: Place, value: Value)) -> Bool {
        (left.key.margin.bits, left.key.cell.value, left.key.window.value)
            < (right.key.margin.bits, right.key.cell.value, right.key.window.value)
    }
}
