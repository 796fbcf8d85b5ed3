internal import ThrongNoise
internal import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

extension ReleaseScheduler {
    /// Releases a period with noise; nil where another process does.
    func releaseNoisily(_ open: OpenPeriod, plan: Plan) async throws -> Made? {
        let layout = open.layout
        func missing(_ gap: NoiseGap) -> Made {
            Made(metric: layout.metric, period: open.period, published: 0, withheld: 0, summary: nil, gap: gap)
        }
        let metric = plan.metric(layout.metric)
        let isInForce = try metric.map { try plan.layout(of: $0, rules: rules) == layout } ?? false
        let groupings = isInForce ? metric.map(plan.groupings) : nil
        guard let budget = plan.purpose(layout.purpose)?.budget,
            let request = try NoiseRequest(
                layout: layout, period: open.period, plan: plan.version,
                groupings: groupings ?? Set([.total, layout.leaf]).sorted(),
                sampling: isInForce
                    ? layout.sampling
                    : sampling(of: layout, isKept: try await store.terms(of: layout) != nil, metric),
                budget: budget)
        else {
            try await noise.discard(open)
            return missing(.withoutBudget)
        }
        switch try await noise.release(request) {
        case .released(let release):
            return Made(
                metric: layout.metric, period: open.period, published: release.cells.count, withheld: 0, summary: nil,
                gap: nil)
        case .missing(let gap): return missing(gap)
        case .elsewhere: return nil
        }
    }
}
