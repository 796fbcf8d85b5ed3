internal import ThrongPlan
internal import ThrongRelease

/// One layout's counters: a metric, under each of the plans that lay it out so.
struct TrialTable {
    /// The schema's number of it.
    let number: Int64
    let layout: MetricLayout
    private(set) var uses: [Use]

    struct Use {
        let version: Int
        let spec: TrialPlan.Metric
        let metric: Metric
    }

    init(number: Int64, layout: MetricLayout, use: Use) {
        self.number = number
        self.layout = layout
        uses = [use]
    }

    /// Every layout of a trial.
    static func all(_ trial: PlanTrial, _ plans: [Plan]) throws -> [TrialTable] {
        var tables: [TrialTable] = []
        for (version, plan) in plans.enumerated() {
            for spec in trial.plans[version].metrics {
                guard let metric = plan.metrics.first(where: { $0.name.text == spec.name }) else { continue }
                let layout = try plan.layout(of: metric, rules: .system)
                let use = Use(version: version, spec: spec, metric: metric)
                if let known = tables.firstIndex(where: { $0.layout == layout }) {
                    tables[known].uses.append(use)
                } else {
                    tables.append(TrialTable(number: Int64(tables.count + 1), layout: layout, use: use))
                }
            }
        }
        return tables
    }

    /// Who counts in a slot; nil where no plan of then has it.
    func use(at slot: Int, _ trial: PlanTrial) -> Use? {
        uses.first { trial.slots($0.version).contains(slot) }
    }
}

/// Some of what a device of a group sends in a slot that every metric counts, or does not count, as a whole.
struct TrialHappening {
    let group: Int
    let slot: Int
    /// Place in ``TrialPlan/events``.
    let event: Int
    /// Unit: events of one device.
    let events: Int64
    /// Which tables count it.
    let tables: Set<Int>

    /// All that happens, in the order in which each device sends it: a device that has sent as much as a metric takes in a
    /// window counts no more.
    static func all(_ trial: PlanTrial, _ tables: [TrialTable]) -> [TrialHappening] {
        struct Window: Hashable {
            let table: Int
            let number: WindowNumber
        }
        var found: [TrialHappening] = []
        for (place, group) in trial.people.enumerated() {
            var used: [Window: Int64] = [:]
            for slot in trial.time.slots.indices {
                for event in TrialPlan.events.indices where group.sends[slot][event] > 0 {
                    let sent = group.sends[slot][event]
                    var amounts: [Int: Int64] = [:]
                    for (number, table) in tables.enumerated() {
                        guard let spec = table.use(at: slot, trial)?.spec,
                            spec.events.contains(TrialPlan.events[event]), spec.counts(group)
                        else { continue }
                        let window = Window(table: number, number: table.window(at: slot, trial))
                        let amount = min(sent, Int64(spec.bound) - used[window, default: 0])
                        used[window, default: 0] += amount
                        if amount > 0 { amounts[number] = amount }
                    }
                    var from: Int64 = 0
                    for to in Set(amounts.values).union([sent]).sorted() {
                        found.append(
                            TrialHappening(
                                group: place, slot: slot, event: event, events: to - from,
                                tables: Set(amounts.filter { $0.value >= to }.keys)))
                        from = to
                    }
                }
            }
        }
        return found
    }

    /// The period of a table that counts it: the next one, where it comes late and the table's periods are short.
    func period(_ table: TrialTable, _ trial: PlanTrial) -> Period {
        let kind = table.layout.period
        let isLate = trial.people[group].isLate && trial.plans.count == 1
        guard isLate, kind == trial.time.kinds.first, trial.time.kinds.count > 1, slot + 1 < trial.time.slots.count
        else { return trial.time.period(kind, slot) }
        return trial.time.period(kind, slot + 1)
    }
}

extension TrialTable {
    func window(at slot: Int, _ trial: PlanTrial) -> WindowNumber {
        layout.rotation.window(at: TrialTime.monday + trial.time.slots[slot])
    }
}

extension TrialPlan.Metric {
    /// Whether it is about somebody.
    func counts(_ people: TrialPeople) -> Bool {
        TrialPlan.purposes.first { $0.name == purpose }?.counts(people) ?? true
    }
}
