internal import ThrongNoise
package import ThrongPlan
package import ThrongRelease
package import ThrongReport
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

    /// Makes the due releases of a plan's app: first of the periods that are counted, then of coarser ones. One whose bound is told
    /// by another that was due before its day, and is open, waits for that.
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
        var waiting = try await store.openPeriods(app: plan.app.name)
        for open in waiting where isDue(open.period, open.layout) {
            do {
                // A release that is made again has the same bound: releases that tell it come first.
                if let telling = try telling(open.layout, open.period, plan), waiting.contains(where: telling.holds) {
                    continue
                }
                let scope = ReleaseScope(open, rollups: rollups(of: open, plan: plan))
                if let one = try await release(scope, plan: plan) { made.append(one) }
                waiting.removeAll { $0 == open }
            } catch { try Self.pass(error, open.layout.metric, open.period, to: failed) }
        }
        // A finer rollup that was made just now is a part of a coarser one: each kind is asked for anew.
        for kind in PeriodKind.allCases {
            for rollup in try await store.openRollups(app: plan.app.name) where rollup.period.kind == kind {
                do {
                    guard isDue(rollup.period, rollup.layout), !rollup.hasOpenParts else { continue }
                    if let one = try await release(ReleaseScope(rollup), plan: plan) { made.append(one) }
                } catch {
                    if let error = error as? ReleaseError, error.isForGood { try await store.giveUp(rollup) }
                    try Self.pass(error, rollup.layout.metric, rollup.period, to: failed)
                }
            }
        }
        return made
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

    /// Releases a period; returns nil if another process released it.
    ///
    /// The draw takes moments, so flushes wait for it. One that a crash loses comes out the same again.
    func release(_ scope: ReleaseScope, plan: Plan) async throws -> Made? {
        try await traces.span(.release) { span in
            span?.say(.app, plan.app.name.text)
            span?.say(.metric, scope.layout.metric.text)
            span?.say(.period, plan.calendar.label(of: scope.period))
            let bound = try await bound(of: scope.layout, scope.period, plan: plan)
            let decided = try await store.commit(
                scope, deciding: { try draw(marginCase(on: $0, bound: bound, plan: plan), secret) })
            return decided.map { Self.made($0.release) }
        }
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
    func bound(of layout: MetricLayout, _ period: Period, plan: Plan) async throws -> Int {
        try await telling(layout, period, plan)?.bound(in: store).chosen ?? layout.contributionBound
    }

    /// Returns the periods that tell a period's bound; nil where it is the layout's.
    private func telling(_ layout: MetricLayout, _ period: Period, _ plan: Plan) throws -> TellingPeriods? {
        guard layout.rungs != nil, period.kind == layout.period, let metric = plan.metric(layout.metric),
            metric.choosesBound
        else { return nil }
        return try TellingPeriods(metric, at: period.start, of: plan, rules: rules)
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

/// The periods of a frequency whose releases tell the bound of a metric's periods that begin on one day of UTC's: those that were due
/// before it. So what is counted on the day has no part in it.
package struct TellingPeriods: Sendable {
    private let metric: Metric
    private let frequency: Metric
    /// The frequency's.
    private let layout: MetricLayout
    private let plan: Plan
    /// The time in which they begin, up to the day.
    private let time: Range<UnixSeconds>

    /// Finds those of the day that holds an instant; nil where no frequency tells the metric.
    ///
    /// - Throws: the errors of the layout's rules.
    package init?(_ metric: Metric, at instant: UnixSeconds, of plan: Plan, rules: UserAgentRules) throws {
        guard let frequency = plan.frequency(telling: metric) else { return nil }
        (self.metric, self.frequency, self.plan) = (metric, frequency, plan)
        layout = try plan.layout(of: frequency, rules: rules)
        let day = UnixSeconds(instant.value - instant.value % Rotation.longest.seconds)
        let reach = Int64(2 * ReleasedBound.mostPeriods) * frequency.period.longestSeconds
        time = day - reach - plan.app.grace.components.seconds..<day
    }

    private func contains(_ period: Period) -> Bool {
        period.kind == frequency.period && time.contains(period.start)
            && layout.due(periodEnding: period.end, grace: plan.app.grace) <= time.upperBound
    }

    /// True if a period that is open is one of them.
    func holds(_ open: OpenPeriod) -> Bool { open.layout.metric == frequency.name && contains(open.period) }

    /// Reads what their releases tell of the bound.
    ///
    /// - Throws: ``ReleaseError``; ``PostgresError``.
    package func bound(in store: ReleaseStore) async throws -> ReleasedBound {
        let releases = try await store.releases(
            app: plan.app.name, metric: frequency.name, periodKind: frequency.period, from: time.lowerBound,
            to: time.upperBound)
        return ReleasedBound(metric, told: frequency, by: releases.filter { contains($0.header.period) }, of: plan)
    }
}

/// The barrier before a release: all events that daemons acknowledged up to now have to be in PostgreSQL.
///
/// Events that come in later are late. Distinct counts of a released period can't be corrected by them.
package struct Settlement: Sendable {
    /// The longest time that a silent daemon holds up releases: nobody sends older events. Unit: seconds.
    package static let longestSilence: Int64 = 48 * 3600
    /// The time for which a question stands: a PostgreSQL that was set back has forgotten it. Unit: seconds.
    package static let longestAsking: Int64 = 600

    private static let step = Duration.milliseconds(100)

    private let store: any Settling
    private let patience: Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// Patience is the longest wait, besides the time that PostgreSQL takes to answer.
    package init(
        _ store: any Settling, patience: Duration = .seconds(15),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) { (self.store, self.patience, self.pause) = (store, patience, pause) }

    /// A question to all daemons, and its time by the clock that says what is due.
    package struct Asked: Sendable {
        let number: Int64
        let now: UnixSeconds

        /// Returns true if the question's answers are still worth waiting for; if not, ask anew.
        func stands(at instant: UnixSeconds) -> Bool { (now...now + longestAsking).contains(instant) }
    }

    /// Asks all daemons; the time is that of the clock that says what is due.
    package func ask(at now: UnixSeconds) async throws -> Asked {
        Asked(number: try await store.askToSettle(), now: now)
    }

    /// Waits for all daemons but some; returns those that have not answered. `waiting` is called once after a second.
    package func silent(
        _ asked: Asked, without: Set<DaemonID> = [], waiting: ([UnsettledDaemon]) -> Void = { _ in }
    ) async throws -> [UnsettledDaemon] {
        var waited = Duration.zero
        var wasTold = false
        while true {
            let silent = try await store.unsettled(asked.number, at: asked.now).filter { !without.contains($0.daemon) }
            if silent.isEmpty || waited >= patience { return silent }
            if !wasTold, waited >= .seconds(1) {
                waiting(silent)
                wasTold = true
            }
            try await pause(Self.step)
            waited += Self.step
        }
    }
}

/// Asks daemons whether PostgreSQL has the events that they acknowledged; `SettlementStore` is the real one.
package protocol Settling: Sendable {
    func askToSettle() async throws -> Int64
    func unsettled(_ asking: Int64, at now: UnixSeconds) async throws -> [UnsettledDaemon]
}

extension SettlementStore: Settling {}
