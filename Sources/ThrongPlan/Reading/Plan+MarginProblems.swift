extension Plan {
    /// Finds a metric whose numbers can't be drawn, or would tell more together with those of others than by themselves.
    ///
    /// - Parameter others: the metrics before it in the plan.
    func marginProblems(_ metric: Metric, beside others: ArraySlice<Metric>) -> [String] {
        var messages: [String] = []
        do { try checkDraws(of: metric) } catch { messages.append("nothing can be drawn for it: \(error)") }
        if metric.choosesBound, frequency(telling: metric) == nil {
            messages.append(
                "'contribution_bound: auto' follows a frequency of the same events and purpose, and there is none that "
                    + "tells all that can add to it; add a metric with 'measures: {frequency: {bands: [1, 2, 3, 6, 11, "
                    + "21, 51, 101]}}', or give a number")
        }
        let counted = counted(by: metric)
        let overlapping = others.filter { self.counted(by: $0).overlaps(counted) }
        let differences = overlapping.compactMap { difference(of: metric, from: $0) }
        return messages + [differences.first ?? clip(of: metric, beside: [metric] + overlapping)].compactMap { $0 }
    }

    /// Finds a difference between two metrics that would tell of few devices: other bounds, or a field that partitions
    /// devices in one of them only.
    private func difference(of metric: Metric, from other: Metric) -> String? {
        func bound(_ metric: Metric) -> String {
            guard metric.choosesBound else { return PlanNumber.text(metric.contributionBound) }
            return "auto\(frequency(telling: metric).map { " by '\($0.name)'" } ?? "")"
        }
        if metric.within == nil, other.within == nil, bound(metric) != bound(other) {
            return """
                its contribution_bound is \(bound(metric)), and metric '\(other.name)' counts some of the same events up to \
                \(bound(other)): their difference would tell of the few devices in between; give both the same
                """
        }
        for dimension in cubeDimensions(of: metric) where metric.within?.name != dimension.name {
            let same = cubeDimensions(of: other).first {
                $0.field == dimension.field && $0.partitionsDevices != dimension.partitionsDevices
                    && other.within?.name != $0.name
            }
            guard let same else { continue }
            return "dimensions '\(dimension.name)' and '\(same.name)' of metric '\(other.name)' read the same field of "
                + "the same events, and only one of them has 'partitions: devices'; give it to both or to none"
        }
        return nil
    }

    /// Finds two sums of one field that are clipped otherwise: their difference is about what lies in between.
    private func clip(of metric: Metric, beside others: [Metric]) -> String? {
        for sum in metric.sums {
            for other in others {
                let same = other.sums.first {
                    $0.field == sum.field
                        && ($0.lowest, $0.highest, $0.decimals) != (sum.lowest, sum.highest, sum.decimals)
                }
                guard let same else { continue }
                return """
                    its sum '\(sum.name)' adds up the same field as '\(same.name)' of metric '\(other.name)' and clips it otherwise: \
                    both together would tell what lies in between; give both the same 'from', 'to' and 'decimals'
                    """
            }
        }
        return nil
    }
}
