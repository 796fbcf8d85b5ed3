extension Plan {
    func marginProblems() -> [PlanProblem] {
        metrics.compactMap(undrawable) + metrics.indices.flatMap { differences(of: metrics[$0], from: metrics[..<$0]) }
    }

    private func undrawable(_ metric: Metric) -> PlanProblem? {
        do {
            try checkDraws(of: metric)
            return nil
        } catch {
            return problem(metric, "nothing can be drawn for it: \(error)")
        }
    }

    private func problem(_ metric: Metric, _ message: String) -> PlanProblem {
        places.problem(on: .metric, metric.name, message)
    }

    /// Finds differences between metrics of the same events by which their numbers together would tell more than
    /// either. These are bounds and clips, whose difference is about the few devices in between, and a field that
    /// partitions devices in one metric only.
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
}
