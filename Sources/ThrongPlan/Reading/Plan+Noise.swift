internal import ThrongNoise

extension Plan {
    /// What is wrong with the noise of a plan whose parts are each right; see PlanReference.
    func noiseProblems(today: CalendarDate) -> [PlanProblem] {
        let noisy = metrics.filter { $0.noise != nil }
        return noisy.flatMap(metricNoiseProblems) + noisy.flatMap(exactNeighbours) + quotients(of: noisy)
            + purposes.compactMap { budgetProblem(of: $0, today: today) }
    }

    /// What costs more than it seems.
    func noiseAdvice() -> [PlanProblem] {
        metrics.filter { $0.noise != nil }.flatMap { metric in
            [windowAdvice(metric), marginAdvice(metric)].compactMap { $0 }
                .map { places.advice(on: .metric, named: metric.name.text, "metric '\(metric.name)' \($0)") }
        }
    }

    /// The noise of a metric's releases, of the longest period; nil where they are exact.
    ///
    /// Where it hides an identifier in a window, the number of cells is not looked at.
    /// - Throws: ``NoiseError``.
    func noiseTerms(of metric: Metric) throws(NoiseError) -> NoiseTerms? {
        guard let mechanism = metric.noise else { return nil }
        let limits = try ContributionLimit.limits(
            contributionBound: metric.contributionBound, cellsBound: metric.cellsBound, sums: metric.sums,
            unit: metric.noiseUnit)
        let groupings = groupings(of: metric)
        let leaf = Margin(keeping: cubeDimensions(of: metric).indices)
        // How many cells there are changes nothing of the noise of each.
        switch metric.noiseUnit {
        case .window:
            return try NoiseTerms(
                mechanism: mechanism, limits: limits, groupings: groupings.count,
                includesLeaves: groupings.contains(leaf), cells: 1)
        case .device, .event:
            let shown = reportedGroupings(of: metric)
            return try NoiseTerms(
                mechanism: mechanism, limits: limits, unit: metric.noiseUnit,
                parts: groupings.map {
                    .init(cells: 1, isLeaf: $0 == leaf, weight: NoiseTerms.weight(of: $0, shown: shown))
                },
                windows: metric.noiseUnit == .event ? 1 : mostWindows(of: metric))
        }
    }

    /// In how many windows one device may add to a period of a metric whose noise hides devices, at most. Unit: windows.
    private func mostWindows(of metric: Metric) -> Int64 {
        let rotation = purpose(metric.purpose)?.rotation ?? .standard
        // Windows of a day begin once in nearly every day of 25 hours; a release goes by those that do.
        let longest = rotation < .longest ? metric.period.longestSeconds : metric.period.usualSeconds
        return (longest + rotation.seconds - 1) / rotation.seconds
    }

    /// How far off the numbers of noisy metrics may be, a line a grouping: for whoever writes a plan.
    package func noiseMargins() -> [String] {
        metrics.filter { $0.noise != nil }.flatMap { metric -> [String] in
            do {
                guard let terms = try noiseTerms(of: metric) else { return [] }
                return try groupingNames(of: metric).enumerated().map { place, names in
                    let noise = terms.groupings[terms.unit.isConsistent ? place : 0]
                    let split = names.isEmpty ? "in total" : "by \(names.map(\.text).joined(separator: " and "))"
                    var measures: [String] = []
                    for (measure, distribution) in noise.distributions.enumerated() {
                        let margin = try distribution.margin(missing: NoiseDistribution.oneInTwenty)
                        let sum = measure > 0 ? metric.sums[measure - 1] : nil
                        let unit = sum.map { $0.decimals == 0 ? "" : " / 10^\($0.decimals)" } ?? ""
                        measures.append("\(sum?.name ?? "events") ±\(margin)\(unit)")
                    }
                    let hidden =
                        switch terms.unit {
                        case .window: "an identifier in a window"
                        case .device: "a device in a \(metric.period.rawValue)"
                        case .event: "an event that counts \(PlanNumber.text(metric.contributionBound)) at most"
                        }
                    return """
                        metric '\(metric.name)' \(split): \(measures.joined(separator: ", ")) in 19 of 20 cases, hiding \
                        \(hidden)
                        """
                }
            } catch {
                return ["metric '\(metric.name)': its noise can't be weighed: \(error)"]
            }
        }
    }

    private func problem(_ metric: Metric, _ message: String) -> PlanProblem {
        places.advice(on: .metric, named: metric.name.text, "metric '\(metric.name)': \(message)")
    }

    private func metricNoiseProblems(_ metric: Metric) -> [PlanProblem] {
        guard let mechanism = metric.noise else { return [] }
        var messages: [String] = []
        if metric.reach, purpose(metric.purpose)?.hasIdentifiers == true {
            messages.append(
                """
                noise and 'reach' do not go together: a number of devices has no noise of its own; leave 'reach' \
                out
                """)
        }
        if let budget = purpose(metric.purpose)?.budget {
            do { _ = try mechanism.cost.charged(to: budget.total) } catch { messages.append("\(error)") }
        } else {
            messages.append(
                """
                noise without a budget; give purpose '\(metric.purpose)' a 'budget', such as {epsilon: 20, per: month}
                """)
        }
        if metric.noiseUnit == .device, let rotation = purpose(metric.purpose)?.rotation,
            rotation.seconds > metric.period.usualSeconds
        {
            messages.append(
                """
                with 'unit: device' all of a window counts in the period in which it begins, and identifiers of purpose \
                '\(metric.purpose)' last \(Duration.seconds(rotation.seconds).planText), longer than its \
                \(metric.period.rawValue); count longer periods
                """)
        }
        do { _ = try noiseTerms(of: metric) } catch { messages.append("its noise can't be made: \(error)") }
        return messages.map { problem(metric, $0) }
    }

    /// Exact cells that count the same event would give the noise away, whatever they are counted for.
    private func exactNeighbours(_ metric: Metric) -> [PlanProblem] {
        metrics.filter { $0.noise == nil }.compactMap { other in
            metric.events.first(where: other.events.contains).map { event in
                problem(
                    metric,
                    """
                    it is noisy, and metric '\(other.name)' counts the same event '\(event)' exactly; make both noisy \
                    or count different events
                    """)
            }
        }
    }

    private func quotients(of noisy: [Metric]) -> [PlanProblem] {
        insights.filter { insight in noisy.contains { $0.name == insight.metric } }.compactMap { insight in
            switch insight.view {
            case .table, .trend: break
            case .ranking, .change:
                return places.advice(
                    on: .insight, named: insight.name.text,
                    """
                    insight '\(insight.name)': noise decides the order of noisy numbers and their change as much as what \
                    was counted; leave 'top' and 'change' out, or ask for a 'trend'
                    """
                )
            }
            switch insight.kind {
            case .count, .reach, .distribution, .frequency, .funnel:
                return nil
            case .share, .mean, .retention, .quantiles:
                return places.advice(
                    on: .insight, named: insight.name.text,
                    """
                    insight '\(insight.name)': a quotient of noisy numbers has no margin of error; ask for count or \
                    distribution, which have one
                    """)
            }
        }
    }

    /// A budget that runs out leaves a hole that everyone has to explain, so it has to reach for the longest slot.
    private func budgetProblem(of purpose: Purpose, today: CalendarDate) -> PlanProblem? {
        guard let budget = purpose.budget else { return nil }
        let noisy = metrics.filter { $0.purpose == purpose.name && $0.noise != nil }
        var cost = Rational.zero
        var releases: Int64 = 0
        do throws(NoiseError) {
            for metric in noisy {
                guard let mechanism = metric.noise else { continue }
                let times = metric.period.mostReleases(
                    in: budget.per, daysLeft: metric.expires.daysSince1970 - today.daysSince1970)
                releases += times
                cost = try cost.adding(mechanism.cost.charged(to: budget.total).multiplied(by: Rational(times)))
            }
        } catch {
            // Said of the metric already.
            return nil
        }
        guard budget.total.amount < cost else { return nil }
        return places.advice(
            on: .purpose, named: purpose.name.text,
            """
            purpose '\(purpose.name)': its noisy metrics may make \(PlanNumber.text(Int(releases))) releases in a \
            \(budget.per.rawValue), which cost \(cost); the budget is \(budget.total): raise it, or let a release \
            cost less
            """)
    }

    private func windowAdvice(_ metric: Metric) -> String? {
        guard metric.noiseUnit != .event else { return nil }
        if metric.noiseUnit == .device {
            let windows = mostWindows(of: metric)
            guard windows > 1, let rotation = purpose(metric.purpose)?.rotation, rotation < .longest else { return nil }
            return
                """
                hides a device in a whole \(metric.period.rawValue), in which it may have \(windows) identifiers of \
                \(Duration.seconds(rotation.seconds).planText): its noise is \(windows) times that of one; a longer \
                rotation, such as 1 day, makes it narrower
                """
        }
        guard metric.period == .hour, let purpose = purpose(metric.purpose), purpose.rotation.seconds > 3600 else {
            return nil
        }
        let releases = (purpose.rotation.seconds + 3599) / 3600
        return
            """
            counts by hour and its identifiers last \(Duration.seconds(purpose.rotation.seconds).planText): one \
            identifier is in up to \(releases) releases, and each of them is charged
            """
    }

    private func marginAdvice(_ metric: Metric) -> String? {
        guard let mechanism = metric.noise else { return nil }
        do {
            guard let terms = try noiseTerms(of: metric) else { return nil }
            let total = terms.unit.isConsistent ? terms.groupings[0] : nil
            guard let count = (total?.distributions ?? terms.distributions).first else { return nil }
            let margin = try count.margin(missing: NoiseDistribution.oneInTwenty)
            guard margin > Int128(app.audience) else { return nil }
            return
                """
                has numbers within ±\(margin) in 19 of 20 cases at \(mechanism.cost); the app expects \
                \(PlanNumber.text(app.audience)) devices a day: \
                \(terms.unit == .device ? "lower cells_bound" : "lower contribution_bound"), show fewer groupings, count \
                longer periods or spend more\(total == nil ? "; 'unit: device' makes noise that a small app can use" : "")
                """
        } catch {
            return "can't be weighed against its audience: \(error)"
        }
    }
}
