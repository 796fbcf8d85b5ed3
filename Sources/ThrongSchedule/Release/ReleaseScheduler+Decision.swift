internal import ThrongChance
internal import ThrongDelivery
internal import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

extension ReleaseScheduler {
    /// How often a release is decided while flushes go on; then once more while they wait.
    static let freeDecisions = 3

    /// Releases a period: evidence out of the store, a decision about it, and the release if the evidence still holds.
    /// Nil where another process released it.
    ///
    /// Proofs may take a minute. They run on a thread of their own, so that the connection is free meanwhile and flushes go
    /// on. Where one of them changes what was decided on, it is decided anew.
    func release(_ scope: ReleaseScope, plan: Plan) async throws -> Made? {
        let decision: @Sendable (ReleaseEvidence) throws -> ReleaseDecision = { evidence in
            let header = try header(on: evidence, plan: plan)
            return try decide(ReleaseCase(header: header, on: evidence), options(for: header, plan: plan))
        }
        var evidence = try await store.evidence(for: scope)
        for _ in 0..<Self.freeDecisions {
            let decided = try await onOwnThread { [evidence] in try decision(evidence) }
            switch try await store.commit(decided, for: scope, if: evidence) {
            case .released: return Self.made(decided.release, decided.summary)
            case .elsewhere: return nil
            case .changed(let now): evidence = now
            }
        }
        return try await store.commit(scope, decidingUnderLock: decision).map { Self.made($0.release, $0.summary) }
    }

    /// Releases a period of a metric with a margin; nil where another process released it.
    ///
    /// It takes moments, so it is drawn while flushes wait. What a crash takes before the commit is drawn the same again.
    /// - Parameter scope: without ties: what tells nothing about few devices tells other metrics nothing about them.
    func release(margined scope: ReleaseScope, plan: Plan) async throws -> Made? {
        let factors = plan.metric(scope.layout.metric).map { plan.marginFactors(of: $0) } ?? .none
        let decided = try await store.commit(
            scope,
            decidingUnderLock: { evidence in
                let header = try header(on: evidence, plan: plan)
                return try MarginCase(header: header, on: evidence, factors: factors).decide(secret: secret)
            })
        return decided.map { Self.made($0.release, nil) }
    }

    /// Whether numbers of a period have to be off on purpose: as the plan asks now, or any asked by which they were counted.
    func isMargined(_ scope: ReleaseScope, plan: Plan) async throws -> Bool {
        if plan.metric(scope.layout.metric)?.margin != nil { return true }
        return try await store.margin(for: scope) != nil
    }

    private static func made(_ release: Release, _ summary: ReleaseDecision.Summary?) -> Made {
        let header = release.header
        let numbers = header.groupings.reduce(0) { $0 + header.layout.shownSize(of: $1) }
        return Made(
            metric: header.layout.metric,
            period: header.period,
            published: release.cells.count,
            withheld: numbers - release.cells.count,
            summary: summary)
    }

    private func options(for header: ReleaseHeader, plan: Plan) -> ReleaseOptions {
        var options = ReleaseOptions(
            seed: seed(for: header), proofSeconds: proof.proofSeconds, isStrict: proof.isStrict)
        if let metric = plan.metric(header.layout.metric) { options.preferred = plan.reportedGroupings(of: metric) }
        if let progress = proof.progress {
            options.progress = { progress(header.layout.metric, header.period, $0) }
        }
        return options
    }

    /// The same for all releases of a metric in one installation, whoever decides them and however often; another for each
    /// other metric.
    ///
    /// One for all periods, so that of equally useful numbers the same is withheld each time.
    func seed(for header: ReleaseHeader) -> UInt64 { proof.ties.seed(for: "release", header.series) }

    /// What a release says about itself.
    ///
    /// It goes by the terms under which it was counted and those that the plan has for its metric now: whichever are
    /// stricter. A layout that the plan no longer has shows what was tracked for it.
    private func header(on evidence: ReleaseEvidence, plan: Plan) throws -> ReleaseHeader {
        let (layout, period) = (evidence.layout, evidence.period)
        let metric = plan.metric(layout.metric)
        if let metric, try plan.layout(of: metric, rules: rules) == layout {
            return ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
                .tightened(by: evidence.terms)
        }
        let kept = evidence.terms
        let terms = metric.map(plan.releaseTerms)
        return ReleaseHeader(
            layout: layout,
            period: period,
            plan: plan.version,
            threshold: max(terms?.threshold ?? plan.app.threshold, plan.app.threshold),
            sampling: sampling(of: layout, isKept: kept != nil, metric),
            reach: metric?.reach ?? false,
            groupings: Set(layout.trackedMargins + [.total]).sorted(),
            protection: terms?.protection ?? .standard,
            sensitive: (terms?.sensitive ?? []).filter { name in layout.dimensions.contains { $0.name == name } },
            events: metric?.countingEvents
        ).tightened(by: kept)
    }

    /// What clients sent of the events that were counted in a layout that the plan no longer has.
    ///
    /// Layouts of versions that kept no terms say nothing of sampling: for them it is the plan's, as it was then.
    func sampling(of layout: MetricLayout, isKept: Bool, _ metric: Metric?) -> Double {
        layout.sampling < 1 || isKept ? layout.sampling : metric?.sampling ?? 1
    }
}
