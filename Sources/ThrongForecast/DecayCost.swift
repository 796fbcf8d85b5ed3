internal import ThrongPlan
internal import ThrongRelease

/// What a step of a metric's decay takes: numbers at its age, and what is withheld from the start for what it leaves.
package struct DecayCost: Sendable, Hashable, Encodable {
    /// `after 90 days, drop screen`.
    package let step: String
    /// Of one period's published numbers, those that are there before it.
    package let numbersBefore: Int
    /// Those that it leaves; of shorter periods that became a longer one's none.
    package let numbersAfter: Int
    /// The share of other groupings' published events that is withheld for what the step leaves, from the start on: 0 to 1.
    package let withheld: Double

    /// What each step takes, in the order of age.
    static func all(of metric: Metric, _ plan: Plan, _ days: [DayDecision]) throws -> [DecayCost] {
        let made = days.flatMap(\.made).filter { $0.cube.layout.metric == metric.name }
        guard let layout = made.first?.cube.layout else { return [] }
        let periods = made.count
        /// The groupings that are left after so many steps.
        func margins(after steps: some Sequence<DecayStep>) -> Set<Margin> {
            steps.reduce(into: Set(plan.groupings(of: metric))) { left, step in
                left = left.filter { step.leaves($0, of: metric, layout) }
            }
        }
        func numbers(_ margins: Set<Margin>) -> Int {
            made.reduce(0) { $0 + $1.decision.release.cells.count { margins.contains($0.margin) } }
        }
        return try metric.decay.indices.map { place in
            let (before, after) = (margins(after: metric.decay[..<place]), margins(after: metric.decay[...place]))
            return DecayCost(
                step: metric.decay[place].words,
                numbersBefore: numbers(before) / periods, numbersAfter: numbers(after) / periods,
                withheld: try withheld(for: metric.decay[place], of: metric, plan, layout, days))
        }
    }

    /// How much less other groupings show because what a step leaves is released beside them.
    private static func withheld(
        for step: DecayStep, of metric: Metric, _ plan: Plan, _ layout: MetricLayout, _ days: [DayDecision]
    ) throws -> Double {
        guard case .coarsen(_, let to) = step.action,
            let place = layout.dimensions.firstIndex(where: { $0.name == to })
        else { return 0 }
        let others = plan.groupings(of: metric).filter { !$0.keeps(place) }
        func events(_ release: Release) -> Int64 {
            release.cells.reduce(0) { others.contains($1.margin) ? $0 + $1.count : $0 }
        }
        var (with, without): (Int64, Int64) = (0, 0)
        for day in days {
            for one in day.made where one.cube.layout.metric == metric.name {
                with += events(one.decision.release)
                without += events(try day.decide(one.cube, showing: others).release)
            }
        }
        return without > with ? Double(without - with) / Double(without) : 0
    }
}

extension DecayStep {
    /// Whether numbers of a grouping are still there afterwards.
    fileprivate func leaves(_ margin: Margin, of metric: Metric, _ layout: MetricLayout) -> Bool {
        func keeps(_ name: DimensionName) -> Bool {
            layout.dimensions.indices.contains { layout.dimensions[$0].name == name && margin.keeps($0) }
        }
        return switch action {
        case .drop(let name), .coarsen(let name, to: _): !keeps(name)
        case .keep(let kind): metric.period >= kind
        case .keepTotals: margin == .total
        case .delete: false
        }
    }

    /// `after 90 days, drop screen`.
    fileprivate var words: String {
        let what =
            switch action {
            case .drop(let name): "drop \(name)"
            case .coarsen(let name, let to): "coarsen \(name) to \(to)"
            case .keep(let kind): "keep \(kind.rawValue)s"
            case .keepTotals: "keep totals"
            case .delete: "delete all"
            }
        return "after \(after.planText), \(what)"
    }
}
