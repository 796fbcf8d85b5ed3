extension Plan {
    /// What becomes of periods under way where this plan takes a former one's place: what holds at once, what from the next
    /// period on, and what starts new counters. A sentence each, in the order of this plan's metrics, then those that are
    /// gone; none where nothing changes for them.
    package func changes(from former: Plan, rules: UserAgentRules) throws -> [String] {
        var sentences: [String] = []
        for metric in metrics {
            guard let before = former.metric(metric.name) else {
                let renamed = former.metrics(tiedTo: metric, of: self).filter { self.metric($0) == nil }
                guard let name = renamed.first else { continue }
                sentences.append(
                    """
                    metric '\(metric.name)' counts what '\(name)' counted: in the period under way the two are held \
                    against each other, with the larger k of both
                    """)
                continue
            }
            let (old, new) = (former.releaseTerms(of: before), releaseTerms(of: metric))
            if try former.layout(of: before, rules: rules) != layout(of: metric, rules: rules) {
                sentences.append(
                    """
                    metric '\(metric.name)' gets new counters when the daemon starts with this plan; the period under \
                    way is released in two parts
                    """)
            }
            sentences += Self.edits(of: "metric '\(metric.name)'", from: old, to: new)
        }
        for metric in former.metrics where self.metric(metric.name) == nil {
            sentences.append("metric '\(metric.name)' is gone; what it counted until then is released on its own terms")
        }
        return sentences
    }

    /// The metrics of this plan that count some of the same events as another plan's.
    private func metrics(tiedTo metric: Metric, of other: Plan) -> [MetricName] {
        guard metric.noise == nil else { return [] }
        let counted = other.counted(by: metric)
        return metrics.filter { $0.noise == nil && self.counted(by: $0).isTied(to: counted) }.map(\.name)
    }

    private static func edits(of metric: String, from old: ReleaseTerms, to new: ReleaseTerms) -> [String] {
        let later = "from the first period that begins an hour or more after the daemon starts with this plan"
        let atOnce = "at once, also for periods that wait for their release"
        var sentences: [String] = []
        func say(_ what: String, isLess: Bool) {
            sentences.append("\(metric): \(what) \(isLess ? later : atOnce)")
        }
        if new.threshold != old.threshold {
            say("k = \(new.threshold.devices) holds", isLess: new.threshold < old.threshold)
        }
        if new.protection != old.protection {
            say("a protection of \(new.protection.percent) % holds", isLess: new.protection < old.protection)
        }
        for name in new.sensitive where !old.sensitive.contains(name) { say("'\(name)' is sensitive", isLess: false) }
        for name in old.sensitive where !new.sensitive.contains(name) {
            say("'\(name)' is sensitive no longer", isLess: true)
        }
        if new.counted?.happenings != old.counted?.happenings {
            sentences.append(
                """
                \(metric): other events or another consent count as soon as the daemon starts with this plan; the period \
                under way is tied to the metrics that either plan ties it to
                """)
        }
        return sentences
    }
}
