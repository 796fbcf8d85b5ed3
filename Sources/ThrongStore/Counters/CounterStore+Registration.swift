internal import Synchronization
package import ThrongPlan
internal import ThrongPostgres

/// What a registration found.
package struct PlanRegistration: Sendable, Hashable {
    /// The metrics of which the plan before this one asked something else.
    package let edited: [MetricName]
    /// How the daemon's plans stand to those in force, by app.
    package let standings: [PlanStanding]

    /// Puts it together.
    package init(edited: [MetricName], standings: [PlanStanding]) {
        (self.edited, self.standings) = (edited, standings)
    }
}

extension CounterStore {
    /// Registers the layouts of a daemon's plans, whose views become the metrics' current ones where the plan is in force.
    ///
    /// - Parameters:
    ///   - terms: what the plans ask of their releases. It is kept for all that is counted from now on, and what other plans
    ///     ask, for all that is counted by them: as long as any daemon does so.
    ///   - claim: by which plans the daemon counts.
    /// - Throws: as ``announce(_:)``.
    package func register(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms], by claim: PlanClaim
    ) async throws -> PlanRegistration {
        let attachment = state.withLock { $0.attachment }
        var standings = try await connection.run { session in
            try session.transaction { try Self.announce(claim, attachment, session) }
        }
        // Where another daemon brings a plan into force meanwhile, it is said once more.
        for _ in 0..<3 {
            let isInForce = Dictionary(uniqueKeysWithValues: standings.map { ($0.app, $0.isInForce) })
            let known = try await register(layouts, terms: terms) { isInForce[$0.app] ?? false }
            let held = try await connection.run { session in
                try session.transaction {
                    let standings = try Self.announce(claim, attachment, session)
                    return PlanRegistration(
                        edited: try Self.hold(terms, of: layouts, known, by: standings, session), standings: standings)
                }
            }
            let arrived = standings.filter(\.hasArrived).map(\.app)
            standings = held.standings.map { $0.arrived(arrived.contains($0.app)) }
            if standings.allSatisfy({ isInForce[$0.app] == $0.isInForce }) {
                return PlanRegistration(edited: held.edited, standings: standings)
            }
        }
        return PlanRegistration(edited: [], standings: standings)
    }

    /// Says by which plans a daemon counts; how they stand to those in force, by app. Waits for no flush.
    ///
    /// - Throws: ``StoreError/fenced(daemon:)`` where another process has the daemon's place: nothing was said then.
    package func announce(_ claim: PlanClaim) async throws -> [PlanStanding] {
        let attachment = state.withLock { $0.attachment }
        return try await watch.run { session in
            try session.transaction { try Self.announce(claim, attachment, session) }
        }
    }

    /// Registers layouts as those of the one plan that there is, for somebody who is no daemon.
    ///
    /// - Returns: the metrics of which the plan before this one asked something else.
    @discardableResult
    package func registerLayouts(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms] = [:]
    ) async throws -> [MetricName] {
        let known = try await register(layouts, terms: terms) { _ in true }
        return try await connection.run { session in
            try session.transaction { try Self.hold(terms, of: layouts, known, isEverywhere: true, session).edited }
        }
    }

    /// The schema's names for layouts; registers the ones that only a journal still speaks of.
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

    /// Makes layouts known, each in a transaction of its own.
    ///
    /// - Parameter isCurrent: whether a layout is of the plan in force.
    private func register(
        _ layouts: [MetricLayout], terms: [MetricLayout: ReleaseTerms],
        isCurrent: @Sendable (MetricLayout) -> Bool
    ) async throws -> [RegisteredLayout] {
        let current = layouts.map(isCurrent)
        let known = try await connection.run { session in
            try zip(layouts, current).map { layout, isCurrent in
                let metric = try session.one(RegisterLayout(layout: layout, makeCurrent: isCurrent))
                guard let calendar = PeriodCalendar(timeZone: layout.timeZone) else {
                    throw RegisterLayout.unexpected
                }
                if isCurrent, let terms = terms[layout] {
                    try session.run(KeepTerms(metric: metric, terms: terms))
                }
                return RegisteredLayout(
                    id: layout.id,
                    metric: PendingFlush.Metric(id: metric, kind: layout.period, calendar: calendar))
            }
        }
        state.withLock { state in
            for (layout, entry) in zip(layouts, known) { state.metrics[layout] = entry }
        }
        return known
    }

    /// - Parameter attachment: nil where the daemon has none.
    private static func announce(
        _ claim: PlanClaim, _ attachment: Attachment?, _ session: Session
    ) throws -> [PlanStanding] {
        let standings = try claim.plans.sorted { $0.key < $1.key }.map { app, plan in
            try session.one(
                AnnouncePlan(
                    daemon: claim.daemon, app: app, plan: plan, isApplied: claim.applied.contains(app)))
        }
        try session.run(StopPlans(daemon: claim.daemon, kept: Array(claim.plans.keys)))
        // Who has taken the place says so after this, or has done so already: then this one has nothing to say any more.
        if let attachment { _ = try position(of: attachment, session) }
        return standings
    }

    /// Keeps the terms of all of a daemon's layouts; those of a plan come into force together. Returns the metrics whose terms
    /// were edited.
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

    /// - Parameter isEverywhere: whether what other plans asked is over.
    private static func hold(
        _ terms: [MetricLayout: ReleaseTerms], of layouts: [MetricLayout], _ known: [RegisteredLayout],
        isEverywhere: Bool, since instant: UnixSeconds? = nil, _ session: Session
    ) throws -> (since: UnixSeconds?, edited: [MetricName]) {
        let all = zip(layouts, known).compactMap { layout, entry in
            terms[layout].map { (metric: layout.metric, layout: entry.metric.id, terms: $0) }
        }
        var (since, edited): (UnixSeconds?, [MetricName]) = (instant, [])
        // One order for all daemons, as each row is locked.
        for (metric, layout, terms) in all.sorted(by: { $0.layout < $1.layout }) {
            let held = try session.one(
                HoldTerms(metric: layout, since: since, terms: terms, isEverywhere: isEverywhere))
            since = held.since
            try session.run(
                HoldPromise(metric: layout, since: held.since, terms: terms, isEverywhere: isEverywhere))
            if held.isEdited { edited.append(metric) }
        }
        if isEverywhere, let since, !all.isEmpty {
            try session.run(RetireTerms(kept: all.map(\.layout), ended: since))
        }
        return (since, edited)
    }
}

extension PlanStanding {
    /// The same, where it also arrived a moment before.
    fileprivate func arrived(_ before: Bool) -> PlanStanding {
        PlanStanding(
            app: app, own: own, inForce: inForce, since: since, daemon: daemon, arrival: arrival,
            hasArrived: hasArrived || before, isEverywhere: isEverywhere)
    }
}
