internal import Logging
internal import ThrongNoise
package import ThrongPlan
internal import ThrongRelease
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
            span?.say(.period, (PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc).label(of: period))
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
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone) else { return }
        for metric in plan.metrics {
            let layout = try plan.layout(of: metric, rules: rules)
            let expires = calendar.midnight(of: metric.expires)
            try await periods.keepCalendar(of: layout, expires: expires, now: now)
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
