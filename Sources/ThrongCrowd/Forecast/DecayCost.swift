internal import ThrongPlan
internal import ThrongRelease

/// The numbers that a step of a metric's decay takes, at its age.
package struct DecayCost: Sendable, Hashable, Encodable {
    /// `after 90 days, drop screen`.
    package let step: String
    /// The published numbers of one period that are there before the step.
    package let numbersBefore: Int
    /// The numbers that the step leaves; none of shorter periods that became a longer one.
    package let numbersAfter: Int

    /// All steps of a metric, in the order of age.
    static func all(of metric: Metric, _ plan: Plan, _ made: [ForecastDay.Made]) -> [DecayCost] {
        guard let layout = made.first?.cube.layout else { return [] }
        /// The numbers of a period that are left after so many steps.
        func numbers(after steps: some Sequence<DecayStep>) -> Int {
            let left = steps.reduce(into: Set(plan.groupings(of: metric))) { left, step in
                left = left.filter { step.leaves($0, of: metric, layout) }
            }
            return made.reduce(0) { $0 + $1.decision.release.cells.count { left.contains($0.margin) } } / made.count
        }
        return metric.decay.indices.map { place in
            DecayCost(
                step: metric.decay[place].words, numbersBefore: numbers(after: metric.decay[..<place]),
                numbersAfter: numbers(after: metric.decay[...place]))
        }
    }
}

extension DecayStep {
    /// True where numbers of a grouping are still there afterwards.
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
