extension ProcessingRecord.Erasure {
    init(_ metric: Metric, of plan: Plan) {
        self.metric = metric.name
        title = metric.title
        var left = Remainder(periods: [metric.period] + metric.rollups, groupings: plan.groupingNames(of: metric))
        released = left.kept(in: plan, metric)
        // The step that takes all comes last; later steps never happen, and are listed all the same.
        let steps = plan.expirySteps(of: metric)
        let order = steps.indices.sorted { (steps[$0].after, $0) < (steps[$1].after, $1) }
        var result: [ProcessingRecord.Step] = []
        for step in order.map({ steps[$0] }) {
            let isIdle = left.isEmpty
            left.take(step.action)
            result.append(
                ProcessingRecord.Step(
                    afterSeconds: step.after.components.seconds,
                    goes: plan.words(for: step.action, of: metric) + (isIdle ? ", but nothing is left by then" : ""),
                    left: left.kept(in: plan, metric)))
        }
        self.steps = result
    }
}

/// The numbers of a metric that are left while steps of age are gone through.
private struct Remainder {
    var periods: [PeriodKind]
    var groupings: [[DimensionName]]

    var isEmpty: Bool { periods.isEmpty || groupings.isEmpty }

    mutating func take(_ action: DecayStep.Action) {
        switch action {
        case .drop(let name), .coarsen(let name, to: _): groupings.removeAll { $0.contains(name) }
        case .keep(let kind): periods.removeAll { $0 < kind }
        case .keepTotals: groupings.removeAll { !$0.isEmpty }
        case .delete: groupings = []
        }
    }

    func kept(in plan: Plan, _ metric: Metric) -> ProcessingRecord.Kept {
        guard !isEmpty else { return ProcessingRecord.Kept(periods: [], groupings: [], text: "nothing") }
        let splits = groupings.filter { !$0.isEmpty }.map { names in
            names.map { plan.title(of: $0, in: metric) }.joined(separator: " × ")
        }
        let words = (groupings.contains([]) ? ["the total"] : []) + splits.map { "by \($0)" }
        let spans = periods.map { "\($0.rawValue)s" }.joined(separator: " and ")
        return ProcessingRecord.Kept(
            periods: periods, groupings: groupings, text: "numbers of \(spans): \(words.joined(separator: "; "))")
    }
}

extension Plan {
    fileprivate func title(of name: DimensionName, in metric: Metric) -> String {
        let cube = cubeDimensions(of: metric)
        return cube.first { $0.name == name }?.title ?? derivedDimension(name)?.title ?? name.text
    }

    fileprivate func words(for action: DecayStep.Action, of metric: Metric) -> String {
        switch action {
        case .drop(let name): "every number that is split by \(title(of: name, in: metric))"
        case .coarsen(let name, to: let coarse):
            """
            every number that is split by \(title(of: name, in: metric)); those by \(title(of: coarse, in: metric)) stay
            """
        case .keep(let kind): "every number that covers less than a \(kind.rawValue)"
        case .keepTotals: "every number that is split by anything"
        case .delete: "all of its numbers"
        }
    }
}
