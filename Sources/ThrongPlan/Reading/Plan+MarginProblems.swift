extension Plan {
    /// What is wrong with the margins of a plan whose parts are each right; see PlanReference.
    func marginProblems() -> [PlanProblem] {
        let margined = metrics.filter { $0.margin != nil }
        return margined.compactMap(undrawable) + margined.flatMap(exactNeighbours)
            + margined.indices.flatMap { differences(of: margined[$0], from: margined[..<$0]) }
    }

    /// A metric whose releases could never be drawn.
    private func undrawable(_ metric: Metric) -> PlanProblem? {
        do {
            try checkDraws(of: metric)
            return nil
        } catch {
            return problem(metric, "nothing can be drawn for it: \(error)")
        }
    }

    private func problem(_ metric: Metric, _ message: String) -> PlanProblem {
        places.advice(on: .metric, named: metric.name.text, "metric '\(metric.name)': \(message)")
    }

    /// What two metrics of the same events do not have alike, so that their numbers together would tell more than either: different bounds
    /// or clips, whose difference is of the few devices in between, and a field that partitions devices here and not there.
    private func differences(of metric: Metric, from others: ArraySlice<Metric>) -> [PlanProblem] {
        let counted = counted(by: metric)
        for other in others where self.counted(by: other).overlaps(counted) {
            if metric.within == nil, other.within == nil, metric.contributionBound != other.contributionBound {
                return [
                    problem(
                        metric,
                        """
                        its contribution_bound is \(PlanNumber.text(metric.contributionBound)), and metric '\(other.name)' counts some \
                        of the same events up to \(PlanNumber.text(other.contributionBound)): their difference would tell of the few \
                        devices in between; give both the same
                        """)
                ]
            }
            for dimension in cubeDimensions(of: metric) where metric.within?.name != dimension.name {
                let same = cubeDimensions(of: other).first {
                    $0.field == dimension.field && $0.partitionsDevices != dimension.partitionsDevices
                        && other.within?.name != $0.name
                }
                guard let same else { continue }
                return [
                    problem(
                        metric,
                        """
                        dimensions '\(dimension.name)' and '\(same.name)' of metric '\(other.name)' read the same field of the same \
                        events, and only one of them has 'partitions: devices'; give it to both or to none
                        """)
                ]
            }
        }
        return clips(of: metric, beside: [metric] + others.filter { self.counted(by: $0).overlaps(counted) })
    }

    private func clips(of metric: Metric, beside others: [Metric]) -> [PlanProblem] {
        for sum in metric.sums {
            for other in others {
                let same = other.sums.first {
                    $0.field == sum.field
                        && ($0.lowest, $0.highest, $0.decimals) != (sum.lowest, sum.highest, sum.decimals)
                }
                guard let same else { continue }
                return [
                    problem(
                        metric,
                        """
                        its sum '\(sum.name)' adds up the same field as '\(same.name)' of metric '\(other.name)' and clips it otherwise: \
                        both together would tell what lies in between; give both the same 'from', 'to' and 'decimals'
                        """)
                ]
            }
        }
        return []
    }

    /// Exact cells that count the same event would give the noise away, whatever they are counted for.
    private func exactNeighbours(_ metric: Metric) -> [PlanProblem] {
        metrics.filter { $0.margin == nil }.compactMap { other in
            metric.events.first(where: other.events.contains).map { event in
                problem(
                    metric,
                    """
                    it has a margin, and metric '\(other.name)' counts the same event '\(event)' exactly; give both \
                    'margin: standard', or count different events
                    """)
            }
        }
    }
}
