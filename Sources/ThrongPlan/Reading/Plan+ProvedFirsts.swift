internal import Crypto
internal import Foundation
package import ThrongWire

extension Plan {
    /// Returns the firsts of a metric that devices prove; nil if the metric does not ask them to.
    ///
    /// - Throws: ``BucketingProblem`` where this machine can't compile a bucketing that the plan's reader could.
    package func provedFirsts(of metric: Metric) throws(BucketingProblem) -> PublicPlan.ProvedFirsts? {
        guard metric.provesFirsts else { return nil }
        let base = cubeDimensions(of: metric)
        let derived = derivedDimensions(of: metric)
        let partition = base.filter(\.partitionsDevices).map(\.name)
        let own = groupingNames(of: metric).map { names in
            // A coarser dimension of one that is kept says nothing more.
            names.filter { name in
                let of = derived.first { $0.name == name }?.base
                return !partition.contains(name) && !(of.map { names.contains($0) || partition.contains($0) } ?? false)
            }
        }
        var groupings: [[DimensionName]] = []
        for names in own where !groupings.contains(names) { groupings.append(names) }
        return PublicPlan.ProvedFirsts(
            periods: metric.provedPeriods, groupings: groupings, partition: partition,
            layout: try firstsDigest(of: metric, base, derived))
    }

    /// Returns a digest that changes as soon as a metric counts anything else, or in other buckets.
    private func firstsDigest(
        of metric: Metric, _ base: [Dimension], _ derived: [DerivedDimension]
    ) throws(BucketingProblem) -> String {
        let dimensions = try base.map { dimension throws(BucketingProblem) in
            PublicPlan.Dimension(
                name: dimension.name, title: "", field: dimension.field, rule: dimension.rule,
                buckets: try dimension.rule.labels(), partitionsDevices: dimension.partitionsDevices)
        }
        let counted = CountedFirsts(
            app: app.name, timeZone: app.timeZone, metric: metric.name, purpose: metric.purpose,
            events: metric.events.sorted(), rotation: purpose(metric.purpose)?.rotation.seconds ?? 0,
            contributionBound: metric.mostContributions, sampling: metric.sampling, dimensions: dimensions,
            derived: derived.map {
                PublicPlan.DerivedDimension(
                    name: $0.name, title: "", of: $0.base, groups: $0.groups, partitionsDevices: $0.partitionsDevices)
            }, impossible: metric.impossible)
        do {
            return Array(SHA256.hash(data: try JSONEncoder.stable().encode(counted))).prefix(16).lowerHex
        } catch {
            // Names, labels, whole numbers, and finite ones that the plan's reader checked.
            preconditionFailure("what a metric counts could not be written as JSON: \(error)")
        }
    }

    @ListBuilder<String> func provedFirstsProblems(_ metric: Metric) -> [String] {
        if metric.provesFirsts, let purpose = purpose(metric.purpose), purpose.hasIdentifiers, !purpose.needsProof {
            "'reach' is attested and its purpose '\(metric.purpose)' has 'floor: any'; a first is proved by the "
                + "credential that proves an identifier: write 'floor: attested' in the purpose, or 'reach: true'"
        }
        if metric.provesFirsts, metric.answered != nil {
            "'reach' is attested and the metric has 'answered', which a device says once a period by itself; write "
                + "'reach: true'"
        }
    }

    func provedFirstsAdvice(_ metric: Metric) -> String? {
        guard metric.provesFirsts else { return nil }
        let tracked = Set(groupingNames(of: metric).map { $0.filter { dimension($0)?.partitionsDevices != true } })
            .count
        let lengths = metric.provedPeriods.count
        return """
            has 'reach: attested': each device proves itself in each cell of \(tracked) \
            grouping\(tracked == 1 ? "" : "s") by \
            \(metric.provedPeriods.map(\.rawValue).joined(separator: " and by ")), \(tracked * lengths) times or more, at \
            about a millisecond each time on either side
            """
    }
}

/// The value of which ``Plan/firstsDigest(of:_:_:)`` takes the digest.
private struct CountedFirsts: Encodable {
    let app: AppName
    let timeZone: String
    let metric: MetricName
    let purpose: PurposeName
    let events: [EventName]
    let rotation: Int64
    let contributionBound: Int
    let sampling: Double
    let dimensions: [PublicPlan.Dimension]
    let derived: [PublicPlan.DerivedDimension]
    let impossible: [ImpossibleCombination]
}
