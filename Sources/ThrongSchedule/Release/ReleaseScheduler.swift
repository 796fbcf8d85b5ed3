internal import Logging
internal import ThrongNoise
package import ThrongPlan
package import ThrongRelease
internal import ThrongReport
package import ThrongStore
package import ThrongSystem

/// Makes releases that are due: once per metric and period, after the period has closed and its grace is over.
package struct ReleaseScheduler: Sendable {
    let store: ReleaseStore
    let secret: DrawSecret
    private let periods: CalendarStore
    let rules: UserAgentRules
    package var traces = Traces.off
    /// Draws the numbers to publish, on the connection's thread.
    var draw: @Sendable (MarginCase, DrawSecret) throws -> ReleaseDecision = { try $0.decide(secret: $1) }

    package struct Made: Sendable {
        package let metric: MetricName
        package let period: Period
        package let published: Int
        /// Numbers of its margins that were withheld, zeros among them.
        package let withheld: Int
    }

    /// A release that could not be made; it stays due.
    package struct Failure: Sendable {
        package let metric: MetricName
        package let period: Period
        package let error: any Error
    }

    /// Releases through a store; noise is derived from the installation's secret.
    package init(store: ReleaseStore, rules: UserAgentRules, secret: TieSecret = TieSecret()) {
        self.store = store
        self.secret = DrawSecret(bytes: secret.bytes)
        periods = CalendarStore(store.connection)
        self.rules = rules
    }

    /// Makes the due releases of a plan's app: first of the periods that are counted, then of coarser ones.
    ///
    /// - Parameter failed: gets each release that could not be made; the others are made. By default the first failure
    ///   is thrown.
    package func releaseDue(
        of plan: Plan, now: UnixSeconds, only: Period? = nil, ignoringGrace: Bool = false,
        failed: (Failure) throws -> Void = { throw $0.error }
    ) async throws -> [Made] {
        func isDue(_ period: Period, _ layout: MetricLayout) -> Bool {
            let due = ignoringGrace ? period.end : layout.due(periodEnding: period.end, grace: plan.app.grace)
            return due <= now && (only == nil || only == period)
        }
        try await keepCalendar(of: plan, now: now)
        try await giveUpRollups(of: plan)
        var made: [Made] = []
        for open in try await store.openPeriods(app: plan.app.name) where isDue(open.period, open.layout) {
            do {
                let one = try await followed(open.layout.metric, open.period, plan) {
                    try await release(ReleaseScope(open, rollups: rollups(of: open, plan: plan)), plan: plan)
                }
                if let one { made.append(one) }
            } catch { try Self.pass(error, open.layout.metric, open.period, to: failed) }
        }
        // A finer rollup that was made just now is a part of a coarser one: each kind is asked for anew.
        for kind in PeriodKind.allCases {
            for rollup in try await store.openRollups(app: plan.app.name) where rollup.period.kind == kind {
                do {
                    guard isDue(rollup.period, rollup.layout), !rollup.hasOpenParts else { continue }
                    let one = try await followed(rollup.layout.metric, rollup.period, plan) {
                        try await release(ReleaseScope(rollup), plan: plan)
                    }
                    if let one { made.append(one) }
                } catch {
                    if let error = error as? ReleaseError, error.isForGood { try await store.giveUp(rollup) }
                    try Self.pass(error, rollup.layout.metric, rollup.period, to: failed)
                }
            }
        }
        return made
    }

    private func followed(
        _ metric: MetricName, _ period: Period, _ plan: Plan, _ work: () async throws -> Made?
    ) async throws -> Made? {
        try await traces.span(.release) { span in
            span?.say(.app, plan.app.name.text)
            span?.say(.metric, metric.text)
            span?.say(.period, plan.calendar.label(of: period))
            return try await work()
        }
    }

    /// Hands an error on: one that concerns a single release to `failed`, one that concerns all of them to the caller.
    private static func pass(
        _ error: any Error, _ metric: MetricName, _ period: Period, to failed: (Failure) throws -> Void
    ) throws {
        switch error {
        case is CancellationError, PostgresError.unreachable, PostgresError.connectionLost, PostgresError.closed:
            throw error
        default: try failed(Failure(metric: metric, period: period, error: error))
        }
    }

    /// Opens the periods of a plan's metrics by the clock, so that the periods that exist don't show what was counted.
    package func keepCalendar(of plan: Plan, now: UnixSeconds) async throws {
        for metric in plan.metrics {
            try await periods.keepCalendar(
                of: try plan.layout(of: metric, rules: rules), expires: plan.calendar.midnight(of: metric.expires),
                now: now)
        }
    }

    package func giveUpRollups(of plan: Plan) async throws {
        for rollup in try await store.openRollups(app: plan.app.name)
        where !(plan.metric(rollup.layout.metric)?.rollups.contains(rollup.period.kind) ?? false) {
            try await store.giveUp(rollup)
        }
    }

    private func rollups(of open: OpenPeriod, plan: Plan) -> [Period] {
        guard let metric = plan.metric(open.layout.metric),
            let calendar = PeriodCalendar(timeZone: open.layout.timeZone)
        else { return [] }
        return metric.rollups.map { calendar.period($0, containing: open.period.start) }
    }
}

extension ReleaseScheduler {
    /// Releases a period; returns nil if another process released it.
    ///
    /// The draw takes moments, so flushes wait for it. One that a crash loses comes out the same again.
    func release(_ scope: ReleaseScope, plan: Plan) async throws -> Made? {
        let bound = try await bound(of: scope.layout, scope.period, plan: plan)
        let decided = try await store.commit(
            scope, deciding: { try draw(marginCase(on: $0, bound: bound, plan: plan), secret) })
        return decided.map { Self.made($0.release) }
    }

    /// Decides about an open period as if it were over now. Nothing is closed, written or released.
    ///
    /// Only for crowds that are made up: whoever sees an open period again and again learns what a single event adds.
    package func trial(_ open: OpenPeriod, plan: Plan) async throws -> ReleaseDecision {
        let bound = try await bound(of: open.layout, open.period, plan: plan)
        return try marginCase(on: try await store.evidence(of: open), bound: bound, plan: plan).decide(secret: secret)
    }

    private func marginCase(on evidence: ReleaseEvidence, bound: Int, plan: Plan) throws -> MarginCase {
        let factors = plan.metric(evidence.layout.metric).map { plan.marginFactors(of: $0) } ?? .none
        return MarginCase(header: try header(on: evidence, bound: bound, plan: plan), on: evidence, factors: factors)
    }

    /// Returns the bound on what an identifier adds to a period: that of the layout, or where releases choose it what a frequency
    /// has told.
    ///
    /// Only releases that were due before the day of the period began are read, whenever the period is released: they are made
    /// before it, so that a release that is made again has the same bound, and what is counted in the period has no part in it.
    func bound(of layout: MetricLayout, _ period: Period, plan: Plan) async throws -> Int {
        guard layout.rungs != nil, period.kind == layout.period, let metric = plan.metric(layout.metric),
            metric.choosesBound, let frequency = plan.frequency(telling: metric)
        else { return layout.contributionBound }
        let told = try plan.layout(of: frequency, rules: rules)
        let day = UnixSeconds(period.start.value - period.start.value % Rotation.longest.seconds)
        let reach = ReleasedBound.reach(of: frequency.period) + plan.app.grace.components.seconds
        let releases = try await store.releases(
            app: plan.app.name, metric: frequency.name, periodKind: frequency.period, from: day - reach, to: day)
        let due = releases.filter { told.due(periodEnding: $0.header.period.end, grace: plan.app.grace) <= day }
        return ReleasedBound(metric, told: frequency, by: due, of: plan).chosen ?? layout.contributionBound
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
    func header(on evidence: ReleaseEvidence, bound: Int, plan: Plan) throws -> ReleaseHeader {
        let (layout, period) = (evidence.layout.bounded(by: bound), evidence.period)
        let metric = plan.metric(layout.metric)
        if let metric, try plan.layout(of: metric, rules: rules) == evidence.layout {
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
