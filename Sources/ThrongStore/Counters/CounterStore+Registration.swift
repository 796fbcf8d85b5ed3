internal import Synchronization
package import ThrongPlan

package struct PlanRegistration: Sendable, Hashable {
    /// The metrics whose terms differ from those of the plan before this one.
    package let edited: [MetricName]
    /// The standing of each of the daemon's plans against the one in force, by app.
    package let standings: [PlanStanding]
}

extension CounterStore {
    /// Registers the layouts of a daemon's plans. Their views become the metrics' current ones if the plan is in force.
    ///
    /// - Parameter terms: they hold for all that is counted from now on; those of other plans for what is counted by
    ///   them, as long as any daemon does so.
    package func register(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], by claim: PlanClaim
    ) async throws -> PlanRegistration {
        let attachment = state.withLock { $0.attachment }
        var standings = try await connection.transaction { session in try Self.announce(claim, attachment, session) }
        // If another daemon brings a plan into force meanwhile, this is repeated.
        for _ in 0..<3 {
            let isInForce = Dictionary(uniqueKeysWithValues: standings.map { ($0.app, $0.isInForce) })
            let known = try await register(layouts, terms: terms) { isInForce[$0.app] ?? false }
            let held = try await connection.transaction { session in
                let standings = try Self.announce(claim, attachment, session)
                return PlanRegistration(
                    edited: try Self.hold(terms, of: layouts, known, by: standings, session), standings: standings)
            }
            let arrived = standings.filter(\.hasArrived).map(\.app)
            standings = held.standings
            for place in standings.indices where arrived.contains(standings[place].app) {
                standings[place].hasArrived = true
            }
            if standings.allSatisfy({ isInForce[$0.app] == $0.isInForce }) {
                return PlanRegistration(edited: held.edited, standings: standings)
            }
        }
        return PlanRegistration(edited: [], standings: standings)
    }

    /// Announces the plans that a daemon counts by; returns their standings, by app. Waits for no flush.
    ///
    /// - Throws: ``StoreError/fenced(daemon:)`` if another process has the daemon's place; nothing was announced then.
    package func announce(_ claim: PlanClaim) async throws -> [PlanStanding] {
        let attachment = state.withLock { $0.attachment }
        return try await watch.transaction { session in try Self.announce(claim, attachment, session) }
    }

    /// Registers layouts as those of the only plan, for no daemon; returns the metrics whose terms differ from before.
    @discardableResult package func registerLayouts(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms] = [:]
    ) async throws -> [MetricName] {
        let known = try await register(layouts, terms: terms) { _ in true }
        return try await connection.transaction { session in
            try Self.hold(terms, of: layouts, known, isEverywhere: true, session).edited
        }
    }

    /// Returns the schema's names for layouts; registers those that only a journal still has.
    func registered(_ layouts: [MetricLayout]) async throws -> [RegisteredLayout] {
        let unknown = state.withLock { state in layouts.filter { state.metrics[$0] == nil } }
        if !unknown.isEmpty { _ = try await register(unknown, terms: [:]) { _ in false } }
        return try state.withLock { state in
            try layouts.map { layout in
                guard let known = state.metrics[layout] else { throw StoreError.layoutUnknown(layout.id) }
                return known
            }
        }
    }

    /// Registers layouts, each in a transaction of its own; `isCurrent` is true for those of the plan in force.
    private func register(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], isCurrent: @Sendable (MetricLayout) -> Bool
    ) async throws -> [RegisteredLayout] {
        let current = layouts.map(isCurrent)
        let known = try await connection.run { session in
            try zip(layouts, current).map { layout, isCurrent in
                let metric = try session.one(Query.registerLayout(layout: layout, makeCurrent: isCurrent))
                guard let calendar = PeriodCalendar(timeZone: layout.timeZone) else {
                    throw PostgresError.unexpectedAnswer(query: "metric_layout.register")
                }
                if isCurrent, let terms = terms[layout] {
                    try session.run(Query.keepTerms(metric: metric, threshold: terms.threshold))
                }
                return RegisteredLayout(
                    id: layout.id, metric: PendingFlush.Metric(id: metric, kind: layout.period, calendar: calendar))
            }
        }
        state.withLock { state in for (layout, entry) in zip(layouts, known) { state.metrics[layout] = entry } }
        return known
    }

    /// - Parameter attachment: nil where the daemon has none.
    private static func announce(
        _ claim: PlanClaim, _ attachment: Attachment?, _ session: Session
    ) throws -> [PlanStanding] {
        let standings = try claim.plans.sorted { $0.key < $1.key }.map { app, plan in
            try session.one(
                Query.announcePlan(daemon: claim.daemon, app: app, plan: plan, isApplied: claim.applied.contains(app)))
        }
        try session.run(Query.stopPlans(daemon: claim.daemon, kept: Array(claim.plans.keys)))
        // A process that takes the place announces itself after this, or has done so: then this one announces nothing
        // any more.
        if let attachment { _ = try position(of: attachment, session) }
        return standings
    }

    /// Keeps the terms of all of a daemon's layouts; those of a plan come into force together. Returns the metrics
    /// whose terms were edited.
    private static func hold(
        _ terms: [MetricLayout: ReleaseTerms], of layouts: [MetricLayout], _ known: [RegisteredLayout],
        by standings: [PlanStanding], _ session: Session
    ) throws -> [MetricName] {
        var (since, edited): (UnixSeconds?, [MetricName]) = (nil, [])
        for standing in standings {
            let own = zip(layouts, known).filter { $0.0.app == standing.app }
            let held = try hold(
                terms, of: own.map(\.0), own.map(\.1), isEverywhere: standing.isInForce && standing.isEverywhere,
                since: since, session)
            since = held.since
            edited += standing.isInForce ? held.edited : []
        }
        return edited
    }

    /// - Parameter isEverywhere: true if the terms of other plans have ended.
    private static func hold(
        _ terms: [MetricLayout: ReleaseTerms], of layouts: [MetricLayout], _ known: [RegisteredLayout],
        isEverywhere: Bool, since instant: UnixSeconds? = nil, _ session: Session
    ) throws -> (since: UnixSeconds?, edited: [MetricName]) {
        let all = zip(layouts, known).compactMap { layout, entry in
            terms[layout].map { (metric: layout.metric, layout: entry.metric.id, terms: $0) }
        }
        var (since, edited): (UnixSeconds?, [MetricName]) = (instant, [])
        // All daemons use one order, as each row is locked.
        for (metric, layout, terms) in all.sorted(by: { $0.layout < $1.layout }) {
            let held = try session.one(
                Query.holdTerms(metric: layout, since: since, terms: terms, isEverywhere: isEverywhere))
            since = held.since
            try session.run(
                Query.holdPromise(metric: layout, since: held.since, terms: terms, isEverywhere: isEverywhere))
            if held.isEdited { edited.append(metric) }
        }
        if isEverywhere, let since, !all.isEmpty {
            try session.run(Query.retireTerms(kept: all.map(\.layout), ended: since))
        }
        return (since, edited)
    }
}
