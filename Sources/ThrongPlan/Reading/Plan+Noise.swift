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

    /// The noise of each measure of a metric's releases, the count first; nil where they are exact.
    ///
    /// - Throws: ``NoiseError``.
    func noiseDistributions(of metric: Metric) throws(NoiseError) -> [NoiseDistribution]? {
        guard let mechanism = metric.noise else { return nil }
        // How many cells there are changes nothing of the noise of each.
        return try NoiseTerms(
            mechanism: mechanism, contributionBound: metric.contributionBound, cellsBound: metric.cellsBound,
            sums: metric.sums, groupings: groupings(of: metric),
            leaf: Margin(keeping: cubeDimensions(of: metric).indices), cells: 1
        ).distributions
    }

    private func problem(_ metric: Metric, _ message: String) -> PlanProblem {
        places.advice(on: .metric, named: metric.name.text, "metric '\(metric.name)': \(message)")
    }

    private func metricNoiseProblems(_ metric: Metric) -> [PlanProblem] {
        guard let mechanism = metric.noise else { return [] }
        var messages: [String] = []
        if metric.reach {
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
        do { _ = try noiseDistributions(of: metric) } catch { messages.append("its noise can't be made: \(error)") }
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
            guard let count = try noiseDistributions(of: metric)?.first else { return nil }
            let margin = try count.margin(missing: NoiseDistribution.oneInTwenty)
            guard margin > Int128(app.audience) else { return nil }
            return
                """
                has numbers within ±\(margin) in 19 of 20 cases at \(mechanism.cost); the app expects \
                \(PlanNumber.text(app.audience)) devices a day: lower contribution_bound, show fewer groupings, count \
                longer periods or spend more
                """
        } catch {
            return "can't be weighed against its audience: \(error)"
        }
    }
}
