internal import Logging
package import ThrongChance
internal import ThrongNoise
package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease
package import ThrongStore
package import ThrongTraces

/// Makes releases that are due: once per metric and period, after the period has closed and its grace is over.
package struct ReleaseScheduler: Sendable {
    let store: ReleaseStore
    /// What noise is derived from: that which breaks ties.
    let secret: DrawSecret
    private let periods: CalendarStore
    let rules: UserAgentRules
    let proof: ProofOptions
    /// Follows each release.
    package var traces = Traces.off
    /// Decides what leaves the house, on a thread of its own.
    var decide: @Sendable (ReleaseCase, ReleaseOptions) throws -> ReleaseDecision = {
        try $0.decideCoarsening($1)
    }

    /// A release that was made just now.
    package struct Made: Sendable {
        /// The metric.
        package let metric: MetricName
        /// What it covers.
        package let period: Period
        /// Numbers that were published.
        package let published: Int
        /// Numbers of its margins that were withheld, zeros among them.
        package let withheld: Int
        /// What deciding it came to; nil where nothing was to be decided, because numbers are off on purpose.
        package let summary: ReleaseDecision.Summary?
    }

    /// How releases are decided, and who hears how far it is.
    package struct ProofOptions: Sendable {
        /// Refuses a release rather than coarsen what could not be proved in time.
        package var isStrict: Bool
        /// How long proofs of one release are looked for. Unit: seconds.
        package var proofSeconds: Double
        /// By what equally useful numbers are chosen.
        package var ties: TieSecret
        /// Hears which release is being made and how far it is.
        package var progress: (@Sendable (MetricName, Period, ReleaseProgress) -> Void)?

        /// As the schedule does it: coarsening what can't be proved in a minute. Without the installation's secret, ties are
        /// broken by one that is drawn now and kept nowhere.
        package init(
            isStrict: Bool = false, proofSeconds: Double = 60, ties: TieSecret = TieSecret(),
            progress: (@Sendable (MetricName, Period, ReleaseProgress) -> Void)? = nil
        ) {
            self.isStrict = isStrict
            self.proofSeconds = proofSeconds
            self.ties = ties
            self.progress = progress
        }
    }

    /// A release that could not be made; it stays due.
    package struct Failure: Sendable {
        /// The metric.
        package let metric: MetricName
        /// What it was to cover.
        package let period: Period
        /// Why.
        package let error: any Error
    }

    /// Releases through a store. Noise is derived from the secret that breaks ties.
    package init(store: ReleaseStore, rules: UserAgentRules, proof: ProofOptions = ProofOptions()) {
        self.store = store
        secret = DrawSecret(bytes: proof.ties.bytes)
        periods = CalendarStore(store.connection)
        self.rules = rules
        self.proof = proof
    }

    /// Releases what is due of a plan's app: first the periods that are counted, then the coarser ones over them.
    ///
    /// - Parameters:
    ///   - only: a period to confine it to.
    ///   - ignoringGrace: whether a period is due as soon as it is over.
    ///   - failed: gets each release that could not be made, and the others are made all the same; without it the first one
    ///     ends it all.
    /// - Throws: what `failed` throws; ``PostgresError`` where PostgreSQL can't be reached.
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
        let ties = EventTies(plan)
        var made: [Made] = []
        for open in try await store.openPeriods(app: plan.app.name) where isDue(open.period, open.layout) {
            do {
                let one = try await followed(open.layout.metric, open.period, plan) {
                    try await release(open, plan: plan, ties: ties)
                }
                if let one { made.append(one) }
            } catch {
                try Self.pass(error, open.layout.metric, open.period, to: failed)
            }
        }
        // A finer rollup that was made just now is a part of a coarser one: each kind is asked for anew.
        for kind in PeriodKind.allCases {
            for rollup in try await store.openRollups(app: plan.app.name) where rollup.period.kind == kind {
                do {
                    guard isDue(rollup.period, rollup.layout), !rollup.hasOpenParts else { continue }
                    let one = try await followed(rollup.layout.metric, rollup.period, plan) {
                        // Exact numbers would tell by how much those of its parts are off.
                        let untied = ReleaseScope(rollup, ties: nil)
                        return try await isMargined(untied, plan: plan)
                            ? try await release(margined: untied, plan: plan)
                            : try await release(ReleaseScope(rollup, ties: ties), plan: plan)
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

    /// Makes a release as a span.
    private func followed(
        _ metric: MetricName, _ period: Period, _ plan: Plan, _ work: () async throws -> Made?
    ) async throws -> Made? {
        try await traces.span(.release) { span in
            span?.say(.app, plan.app.name.text)
            span?.say(.metric, metric.text)
            span?.say(.period, (PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc).label(of: period))
            return try await work()
        }
    }

    /// Releases a period that is counted; nil where another process does, or nothing is to be released.
    private func release(_ open: OpenPeriod, plan: Plan, ties: EventTies) async throws -> Made? {
        let rollups = rollups(of: open, plan: plan)
        let untied = ReleaseScope(open, rollups: rollups, ties: nil)
        return try await isMargined(untied, plan: plan)
            ? try await release(margined: untied, plan: plan)
            : try await release(ReleaseScope(open, rollups: rollups, ties: ties), plan: plan)
    }

    /// Hands an error on: what has to do with one release to `failed`, what has to do with all of them to whoever asked.
    private static func pass(
        _ error: any Error, _ metric: MetricName, _ period: Period, to failed: (Failure) throws -> Void
    ) throws {
        switch error {
        case is CancellationError, PostgresError.unreachable, PostgresError.connectionLost, PostgresError.closed:
            throw error
        default: try failed(Failure(metric: metric, period: period, error: error))
        }
    }

    /// Opens the periods of a plan's metrics: by the clock, because what was counted must not show in what exists.
    package func keepCalendar(of plan: Plan, now: UnixSeconds) async throws {
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone) else { return }
        for metric in plan.metrics {
            let layout = try plan.layout(of: metric, rules: rules)
            let expires = calendar.midnight(of: metric.expires)
            try await periods.keepCalendar(of: layout, expires: expires, now: now)
        }
    }

    /// Gives up the coarser periods for which a plan asks no more.
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
