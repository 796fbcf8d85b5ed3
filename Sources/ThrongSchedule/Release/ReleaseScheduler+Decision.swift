package import ThrongPlan
package import ThrongRelease
package import ThrongStore

extension ReleaseScheduler {
    /// Releases a period; returns nil if another process released it.
    ///
    /// The draw takes moments, so flushes wait for it. One that a crash loses comes out the same again.
    func release(_ scope: ReleaseScope, plan: Plan) async throws -> Made? {
        let factors = plan.metric(scope.layout.metric).map { plan.marginFactors(of: $0) } ?? .none
        let decided = try await store.commit(
            scope,
            deciding: { evidence in
                let header = try header(on: evidence, plan: plan)
                return try draw(MarginCase(header: header, on: evidence, factors: factors), secret)
            })
        return decided.map { Self.made($0.release) }
    }

    /// Decides about an open period as if it were over now. Nothing is closed, written or released.
    ///
    /// Only for crowds that are made up: whoever sees an open period again and again learns what a single event adds.
    package func trial(_ open: OpenPeriod, plan: Plan) async throws -> ReleaseDecision {
        let evidence = try await store.evidence(of: open)
        let factors = plan.metric(open.layout.metric).map { plan.marginFactors(of: $0) } ?? .none
        return try MarginCase(header: try header(on: evidence, plan: plan), on: evidence, factors: factors)
            .decide(secret: secret)
    }

    private static func made(_ release: Release) -> Made {
        let header = release.header
        let numbers = header.groupings.reduce(0) { $0 + header.layout.shownSize(of: $1) }
        return Made(
            metric: header.layout.metric, period: header.period, published: release.cells.count,
            withheld: numbers - release.cells.count)
    }

    /// Returns the header of a release.
    ///
    /// The stricter terms hold: those under which it was counted, or those that the plan has for its metric now. A
    /// layout that the plan no longer has shows the margins that were tracked for it.
    func header(on evidence: ReleaseEvidence, plan: Plan) throws -> ReleaseHeader {
        let (layout, period) = (evidence.layout, evidence.period)
        let metric = plan.metric(layout.metric)
        if let metric, try plan.layout(of: metric, rules: rules) == layout {
            return ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
                .tightened(by: evidence.terms)
        }
        let terms = metric.map(plan.releaseTerms)
        return ReleaseHeader(
            layout: layout, period: period, plan: plan.version,
            threshold: max(terms?.threshold ?? plan.app.threshold, plan.app.threshold), sampling: layout.sampling,
            reach: metric?.reach ?? false, groupings: Set(layout.trackedMargins + [.total]).sorted(),
            events: metric?.countingEvents
        ).tightened(by: evidence.terms)
    }
}
