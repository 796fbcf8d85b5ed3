internal import ThrongPlan

extension Plan {
    /// The same plan for an app whose days are in UTC.
    var inUTC: Plan {
        var plan = self
        plan.app.timeZone = "UTC"
        // Nobody stands between a crowd in memory and the intake.
        (plan.app.relay, plan.app.evaluator, plan.app.keys) = (nil, nil, .optional)
        plan.app.directedTo = .general
        return plan
    }

    /// The same plan whose metrics release other groupings besides those that insights ask for.
    func releasing(_ margins: [MetricName: [[DimensionName]]]) -> Plan {
        var plan = self
        for place in metrics.indices {
            if let own = margins[metrics[place].name] { plan.metrics[place].margins = own }
        }
        return plan
    }

    /// The groupings of a metric that are worth a try: by up to three of its dimensions, and by dimensions that are
    /// made of them; coarser ones first.
    func triedGroupings(of metric: Metric) -> [[DimensionName]] {
        let base = cubeDimensions(of: metric).filter { !$0.isRevealed }.prefix(GroupingAdvice.mostFields)
            .map { ($0.name, of: $0.name) }
        let derived = derivedDimensions.filter { dimension in base.contains { $0.of == dimension.base } }
            .map { ($0.name, of: $0.base) }
        var groupings: [[(name: DimensionName, of: DimensionName)]] = [[]]
        for (name, of) in base + derived {
            groupings += groupings.filter { kept in
                kept.count < GroupingAdvice.mostDimensions && !kept.contains { $0.of == of }
            }.map { $0 + [(name, of)] }
        }
        // Groupings that the plan has now come first among equally coarse ones.
        let own = metric.margins.map(Set.init)
        func rank(_ place: Int) -> (Int, Int, Int) {
            let names = groupings[place].map(\.name)
            return (names.count, own.contains(Set(names)) ? 0 : 1, place)
        }
        return groupings.indices.dropFirst().sorted { rank($0) < rank($1) }.prefix(GroupingAdvice.mostTried)
            .map { groupings[$0].map(\.name) }
    }
}
